package shop

import "testing"

func TestAdds(t *testing.T) {
	undefinedFunction() // ERRORS ?
}
