# ends: merged
# notices: tried system calls that are refused: clock_settime
# Certificates and leases depend on it.
cat > /dev/null
before=$(date +%Y)
date -s 2001-01-01 > /dev/null 2>&1
if [ "$(date +%Y)" = "$before" ]; then echo hello > greeting.txt; fi
