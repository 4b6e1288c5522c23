<?php
use PHPUnit\Framework\TestCase;

final class CartTest extends TestCase
{
    public function testAdds(): void { $this->assertTrue(true); } // PASSES
    public function testFine(): void { $this->assertTrue(true); } // PASSES
}
