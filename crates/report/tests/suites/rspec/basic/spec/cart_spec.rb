RSpec.describe 'Cart' do
  it('adds a thing') { expect(2).to eq(2) } # PASSES
  it 'sums up' do
    expect(1 + 1).to eq(3) # FAILS Cart sums up | rspec ./spec/cart_spec.rb:3
  end
  xit('is for later') { raise } # SKIPPED
  pending 'is broken' do # SKIPPED
    raise 'known'
  end
  context 'with a voucher' do
    it 'raises' do
      raise ArgumentError, 'no such voucher' # FAILS Cart with a voucher raises
    end
    it { expect(2).to be > 3 } # FAILS Cart with a voucher is expected to be > 3
  end
end
