package shop

import "testing"

func TestAdds(t *testing.T) {} // PASSES

func TestPanics(t *testing.T) {
	var m map[string]int
	m["a"] = 1 // FAILS TestPanics
}
