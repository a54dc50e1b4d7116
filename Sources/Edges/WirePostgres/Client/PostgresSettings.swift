package import WireBase

/// How to reach the servers of a database, one of which accepts writes.
package struct PostgresSettings: Sendable {
    /// A server's name and port, or the folder of its Unix socket.
    package struct Host: Sendable, Hashable {
        package let name: String
        package let port: Int

        package init(_ name: String, port: Int = 5432) {
            (self.name, self.port) = (name, port)
        }

        var isSocket: Bool { name.hasPrefix("/") }
    }

    package enum Encryption: Sendable, Hashable {
        case none
        /// TLS with a certificate for the server's name, by the authorities of a file.
        case verified(authorities: String)
    }

    /// A certificate of the client, and its key.
    package struct Certificate: Sendable, Hashable {
        package let chain, key: String

        package init(chain: String, key: String) {
            (self.chain, self.key) = (chain, key)
        }
    }

    package var hosts: [Host]
    package var database: String
    package var user: String
    package var password: Secret<String>?
    package var encryption = Encryption.none
    package var certificate: Certificate?
    /// Shown in the server's list of connections.
    package var application = "corewire"
    /// How long one server may take to accept a connection.
    package var connectTimeout: Duration = .seconds(5)
    /// How long data may stay unacknowledged before a connection counts as broken.
    package var silence: Duration = .seconds(5)

    package init(_ hosts: [Host], database: String, user: String) {
        (self.hosts, self.database, self.user) = (hosts, database, user)
    }

    /// The parameters for libpq.
    ///
    /// Includes all that it would otherwise find in the environment or in files of the user.
    func parameters(for host: Host) -> [(name: String, value: String)] {
        var parameters = [
            ("host", host.name), ("port", "\(host.port)"), ("dbname", database), ("user", user),
            ("password", password?.reveal() ?? ""), ("passfile", "/dev/null/none"), ("application_name", application),
            ("client_encoding", "UTF8"), ("options", ""), ("gssencmode", "disable"),
            ("hostaddr", ""), ("requirepeer", ""), ("channel_binding", "prefer"), ("krbsrvname", ""),
            ("target_session_attrs", "any"), ("connect_timeout", "0"), ("keepalives", "1"), ("keepalives_idle", "10"),
            ("keepalives_interval", "5"), ("keepalives_count", "2"), ("tcp_user_timeout", "\(silence.milliseconds)"),
        ]
        switch encryption {
        case .none: parameters += [("sslmode", "disable")]
        case .verified(let authorities):
            parameters += [("sslmode", "verify-full"), ("sslrootcert", authorities), ("sslcrl", "/dev/null/none")]
            parameters += [("ssl_min_protocol_version", "TLSv1.2"), ("ssl_max_protocol_version", ""), ("sslsni", "1")]
            parameters += [("sslcrldir", ""), ("sslcompression", "0"), ("sslpassword", "none")]
            parameters += [
                ("sslcert", certificate?.chain ?? "/dev/null/none"), ("sslkey", certificate?.key ?? "/dev/null/none"),
            ]
        }
        return parameters
    }
}
