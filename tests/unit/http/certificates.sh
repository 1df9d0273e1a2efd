#!/bin/sh
# Fills the folder $1 with two authorities, a server's certificate for localhost and 127.0.0.1, one for another name, one that
# has expired, and a client's certificate of each authority.
set -e
cd "$1"
authority() {  # NAME
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1 authority" \
    -keyout "$1-ca-key.pem" -out "$1-ca.pem"
}
certificate() {  # NAME AUTHORITY SUBJECT ALTERNATIVE_NAMES [DAYS]
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$3" -keyout "$1-key.pem" -out "$1.csr"
  printf 'subjectAltName=%s\n' "$4" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA "$2-ca.pem" -CAkey "$2-ca-key.pem" -CAcreateserial -days "${5:-2}" -extfile "$1.ext" \
    -out "$1.pem"
}
authority good
authority other
certificate server good localhost DNS:localhost,IP:127.0.0.1
certificate elsewhere good elsewhere.example DNS:elsewhere.example,IP:10.9.8.7
certificate expired good localhost DNS:localhost,IP:127.0.0.1 -1
certificate client good someone DNS:someone
certificate stranger other stranger DNS:stranger
