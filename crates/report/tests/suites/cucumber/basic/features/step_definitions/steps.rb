Given('a cart') {}
Then('it is wrong') { raise 'two' }
