# Part of engines.sh: a Docker that is reached as one on another machine is. It listens on TCP, where it wants certificates;
# and an sshd of its own leads to it, whose `docker system dial-stdio` finds its socket. In its folder:
#   tls/address, tls/ca.pem, tls/cert.pem, tls/key.pem       for DOCKER_HOST and DOCKER_CERT_PATH
#   tls/all/                                                 what tests/unit/http/certificates.sh makes
#   ssh/address, ssh/bin/ssh                                 for DOCKER_HOST, and PATH: this ssh knows the way and has the key
#   ssh/config, ssh/known_hosts, ssh/user_key                what it knows

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

make_certificates() {
  mkdir -p tls/all
  sh "$scripts/../tests/unit/http/certificates.sh" "$PWD/tls/all" 2>tls/log || { cat tls/log >&2; return 1; }
  cp tls/all/good-ca.pem tls/ca.pem
  cp tls/all/client.pem tls/cert.pem
  cp tls/all/client-key.pem tls/key.pem
  echo "tcp://127.0.0.1:$(free_port)" >tls/address
}

make_ssh() {
  local port key
  port="$(free_port)"
  mkdir -p ssh/bin
  for key in host_key user_key; do ssh-keygen -q -t ed25519 -N '' -C "$key" -f "ssh/$key"; done
  cp ssh/user_key.pub ssh/authorized_keys
  echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 ssh/host_key.pub)" >ssh/known_hosts
  cat >ssh/config <<END
Host remote-engine
  HostName 127.0.0.1
  Port $port
  User root
  IdentityFile $PWD/ssh/user_key
  IdentitiesOnly yes
  StrictHostKeyChecking yes
  UserKnownHostsFile $PWD/ssh/known_hosts
  GlobalKnownHostsFile /dev/null
END
  # What ~/.ssh/config is for a user; ssh would look for that in the home that the system knows, whatever HOME says.
  printf '#!/bin/sh\nexec %s -F %s/ssh/config "$@"\n' "$(command -v ssh)" "$PWD" >ssh/bin/ssh
  chmod 755 ssh/bin/ssh
  # Modes are not looked at, since /tmp is everybody's. PAM lets an account in that has no password at all.
  cat >ssh/sshd_config <<END
ListenAddress 127.0.0.1
Port $port
HostKey $PWD/ssh/host_key
PidFile none
AuthorizedKeysFile $PWD/ssh/authorized_keys
StrictModes no
UsePAM $(grep -q '^root:!' /etc/shadow && echo yes || echo no)
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 100
SetEnv DOCKER_HOST=unix://$PWD/engine.sock DOCKER_CONFIG=$PWD/ssh
END
  echo ssh://remote-engine >ssh/address
}

start_remote() {
  local program port
  for program in dockerd containerd docker sshd ssh openssl python3; do
    command -v "$program" >/dev/null || fail "there is no $program: scripts/setup.sh --tests"
  done
  [[ -s tls/address ]] || make_certificates
  [[ -s ssh/address ]] || make_ssh
  start_docker -H "$(cat tls/address)" --tlsverify --tlscacert "$PWD/tls/all/good-ca.pem" --tlscert "$PWD/tls/all/server.pem" \
    --tlskey "$PWD/tls/all/server-key.pem" "$@"
  gone sshd.id || return 0
  mkdir -p /run/sshd
  launch sshd "$(command -v sshd)" -D -e -f "$PWD/ssh/sshd_config"
  port="$(sed -n 's/^Port //p' ssh/sshd_config)"
  await sshd 20 eval ": 2>/dev/null </dev/tcp/127.0.0.1/$port"
}
