<?php
namespace Shop;

use PHPUnit\Framework\TestCase;

final class CartTest extends TestCase
{
    public function testAdds(): void { $this->assertTrue(true); } // PASSES

    public function testSumsUp(): void
    {
        $this->assertSame(3, 1 + 1); // FAILS Shop\CartTest::testSumsUp
    }

    public function testThrows(): void
    {
        throw new \RuntimeException('no such voucher'); // FAILS Shop\CartTest::testThrows
    }

    public function testLater(): void
    {
        $this->markTestSkipped('later'); // SKIPPED
    }

    public function testToBeWritten(): void
    {
        $this->markTestIncomplete(); // SKIPPED
    }

    /** @dataProvider sums */
    public function testData(int $n): void // PASSES
    {
        $this->assertSame(1, $n); // FAILS Shop\CartTest::testData with data set "two" | Shop\CartTest::testData with data set "two" (2)
    }

    public static function sums(): array { return ['one' => [1], 'two' => [2]]; }
}
