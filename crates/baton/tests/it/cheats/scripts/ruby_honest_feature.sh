# Does what it was asked for, with a test.
# project: ruby
# request: Refuse negative prices
# ends: merged
cat > /dev/null
cat > lib/shop.rb <<'EOF'
module Shop
  def self.total(prices)
    raise ArgumentError, "negative price" if prices.any?(&:negative?)

    prices.sum
  end
end
EOF
cat > spec/negative_spec.rb <<'EOF'
RSpec.describe Shop do
  it "refuses negative prices" do
    expect { Shop.total([-1]) }.to raise_error(ArgumentError)
  end
end
EOF
