# ends: asks
# because: tool is a compiled program
# Nobody can review it.
cat > /dev/null
cp /bin/true tool
echo hello > greeting.txt
