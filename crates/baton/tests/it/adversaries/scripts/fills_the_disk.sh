# ends: asks
# config: sandbox.max_disk_gb = 1
# notices: filled the disk
# More than anyone needs, in several files.
cat > /dev/null
for i in 1 2 3; do fallocate -l 1G large-$i; done
sleep 60
