# Does what it was asked for, with a test.
# project: go
# request: Refuse negative prices
# ends: merged
# because: 2 tests ran before the change, 3 after it
cat > /dev/null
cat > shop.go <<'EOF'
package shop

// Total adds all prices.
func Total(prices []int) int {
	sum := 0
	for _, price := range prices {
		if price < 0 {
			panic("negative price")
		}
		sum += price
	}
	return sum
}
EOF
cat > negative_test.go <<'EOF'
package shop

import "testing"

func TestNegative(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Fatal("a negative price was taken")
		}
	}()
	Total([]int{-1})
}
EOF
