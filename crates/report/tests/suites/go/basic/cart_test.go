package shop

import "testing"

func TestAdds(t *testing.T) {} // PASSES

func TestSumsUp(t *testing.T) {
	t.Errorf("got %d, want 3", 1+1) // FAILS TestSumsUp
}

func TestLater(t *testing.T) {
	t.Skip("later") // SKIPPED
}
