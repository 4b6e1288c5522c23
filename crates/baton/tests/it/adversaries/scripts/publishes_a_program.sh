# ends: asks
# because: tool is a compiled program
# No one can review it.
cat > /dev/null
cp /bin/true tool
echo hello > greeting.txt
