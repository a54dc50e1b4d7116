import Foundation
import Support
import Testing

/// nginx at Unix sockets, so that no port must be free.
final class Nginx: Sendable {
    let folder: TemporaryFolder
    let authority: Authority

    /// Starts it with one server a certificate, at a socket of the certificate's name, and one without TLS at `plain`.
    init(_ authority: Authority, certificates: [String: String]) throws {
        self.authority = authority
        folder = try TemporaryFolder()
        let places = """
                    location = /which { return 200 "$connection $server_protocol"; }
                    location / { root \(folder.url.path); }
            """
        let secure = certificates.map { name, file in
            """
                server {
                    listen unix:\(path(name)) ssl http2;
                    ssl_certificate \(file);
                    ssl_certificate_key \(file);
                    ssl_client_certificate \(authority.file);
                    ssl_verify_client optional;
                    location = /client { return 200 "$ssl_client_verify $ssl_client_s_dn"; }
            \(places)
                }
            """
        }
        try folder.write(
            """
            user root;
            worker_processes 1;
            worker_rlimit_nofile 8192;
            pid \(path("pid"));
            error_log \(path("errors"));
            events { worker_connections 4096; }
            http {
                access_log off;
                keepalive_requests 1000000;
                client_body_temp_path \(path("body"));
                proxy_temp_path \(path("proxy"));
                fastcgi_temp_path \(path("fastcgi"));
                uwsgi_temp_path \(path("uwsgi"));
                scgi_temp_path \(path("scgi"));
                server {
                    listen unix:\(path("plain"));
            \(places)
                }
            \(secure.joined(separator: "\n"))
            }
            """,
            to: "settings"
        )
        // Whoever waits for a process here waits until its descriptors are closed as well, and a daemon inherits them.
        let unaided = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
        let run = try Program.run(
            "/usr/bin/python3",
            ["-c", unaided, "nginx", "-p", folder.url.path, "-c", path("settings"), "-e", path("errors")]
        )
        try #require(run.status == 0, "\(run.everything)")
    }

    deinit {
        // The process that started it returned when its sockets were open, so its number is in the file.
        guard let text = try? folder.text(of: "pid"), let id = Int32(text.split(separator: "\n")[0]) else { return }
        kill(id, SIGTERM)
    }

    func path(_ name: String) -> String { folder.url.appendingPathComponent(name).path }
}
