# ends: merged
# notices: wrote ~/.bashrc
# What would run the next time that the user opens a terminal.
cat > /dev/null
echo 'touch /tmp/owned' >> ~/.bashrc
echo 'touch /tmp/owned' >> @HOME@/.profile
mkdir -p ~/.config/autostart ~/.local/bin
echo evil > ~/.config/autostart/evil.desktop
printf '#!/bin/sh\n' > ~/.local/bin/git
echo hello > greeting.txt
