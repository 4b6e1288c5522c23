package stock

import "testing"

func TestFine(t *testing.T) {} // PASSES

func TestWrong(t *testing.T) {
	t.Fatal("wrong") // FAILS TestWrong
}
