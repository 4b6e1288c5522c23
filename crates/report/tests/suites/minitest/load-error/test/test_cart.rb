require 'no/such/file' # ERRORS ?
