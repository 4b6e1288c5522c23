# ends: asks
# because: is a link that leads out of the repository
# A checkout follows the link.
cat > /dev/null
ln -sf /etc/passwd users.txt
ln -sf ../../../.ssh keys
rm -f test.sh
ln -s /bin/true test.sh
