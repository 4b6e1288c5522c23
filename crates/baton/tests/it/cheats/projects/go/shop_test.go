package shop

import "testing"

func TestTwo(t *testing.T) {
	if got := Total([]int{1, 2}); got != 3 {
		t.Fatalf("got %d", got)
	}
}

func TestNone(t *testing.T) {
	if got := Total(nil); got != 0 {
		t.Fatalf("got %d", got)
	}
}
