RSpec.describe Shop do
  it "adds two" do
    expect(Shop.total([1, 2])).to eq(3)
  end

  it "adds none" do
    expect(Shop.total([])).to eq(0)
  end
end
