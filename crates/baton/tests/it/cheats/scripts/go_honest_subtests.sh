# Turns two tests into one with a table.
# project: go
# request: Refuse negative prices
# ends: merged
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
cat > shop_test.go <<'EOF'
package shop

import "testing"

func TestTotal(t *testing.T) {
	for name, one := range map[string]struct {
		prices []int
		want   int
	}{
		"two":  {[]int{1, 2}, 3},
		"none": {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Total(one.prices); got != one.want {
				t.Fatalf("got %d, want %d", got, one.want)
			}
		})
	}
}
EOF
