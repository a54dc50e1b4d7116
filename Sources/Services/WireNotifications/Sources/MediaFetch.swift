package import WireBase
package import WireConfig
import WireHTTP
import WireNetworkContract
package import WireService
import WireStore

/// Fetches the picture of a notification within the limits of the file.
package struct MediaFetch: Sendable {
    /// Downloads a URL within a size limit and a timeout, without following redirects.
    package typealias Get = @Sendable (WebURL, ByteCount, Duration) async throws(Fault) -> Brought

    /// A server's response.
    package enum Brought: Sendable {
        case picture([UInt8])
        /// A redirect.
        case moved(String)

        /// A response without a picture is a redirect or a failure.
        package init(status: Int, location: String?) throws(Fault) {
            guard (300..<400).contains(status), let location else {
                throw Fault("the server of the picture responded with status \(status)")
            }
            self = .moved(location)
        }
    }

    /// The maximum number of redirects.
    private static let hops = 3

    private let rules: Media
    private let places: Places
    private let repository: MediaRepository
    private let clock: TimeSource
    private let get: Get

    /// Stores pictures in a repository.
    package init(
        _ rules: Media,
        places: Places,
        repository: MediaRepository,
        clock: TimeSource,
        getting get: @escaping Get
    ) {
        (self.rules, self.places, self.repository, self.clock, self.get) = (rules, places, repository, clock, get)
    }

    /// Returns the path of the picture, which lives as long as the notification and the file's limits; throws where it
    /// cannot be fetched in time.
    package func fetch(_ text: String, for id: String, within limit: Duration? = nil) async throws(Fault) -> String {
        let url = try allowed(text)
        let stem = repository.stem(of: text)
        try await Fault.rethrowing(try await repository.want(stem, for: id, keeping: rules.keep))
        // The same picture is the same file.
        if let file = repository.file(stem) { return "\(repository.folder)/\(file)" }
        let time = min(rules.timeout, limit ?? rules.timeout)
        let result = await withTaskGroup(of: Result<String, Fault>.self) { group in
            group.addTask {
                do throws(Fault) {
                    return .success(try await keep(try await bytes(url, within: time), stem))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await clock.sleep(time)
                return .failure(Fault("timed out after \(time.literal.plainText)"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(Fault("no response"))
        }
        return try result.get()
    }

    /// Each redirect is checked like the first URL.
    private func bytes(_ first: WebURL, within time: Duration) async throws(Fault) -> [UInt8] {
        var url = first
        for _ in 0...Self.hops {
            switch try await get(url, rules.maxSize, time) {
            case .picture(let bytes): return bytes
            case .moved(let location):
                guard let next = url.resolving(location) else { throw Fault("invalid redirect of the picture") }
                guard next.scheme == "https" || url.scheme == "http" else {
                    throw Fault("the picture would be transferred without encryption")
                }
                url = try allowed(next)
            }
        }
        throw Fault("too many redirects of the picture")
    }

    private func allowed(_ text: String) throws(Fault) -> WebURL {
        guard text.utf8.count <= 4_096, let url = try? WebURL(parsing: text),
            url.scheme == "https" || url.scheme == "http"
        else { throw Fault("invalid URL of the picture \(text.quoted)") }
        return try allowed(url)
    }

    /// Without a list a sender may name any public host; hosts without a public name are local and must be listed.
    private func allowed(_ url: WebURL) throws(Fault) -> WebURL {
        let isListed = rules.hosts.contains { $0.covers(url.host) }
        guard isListed || (rules.hosts.isEmpty && Self.isOfInternet(url.host)) else {
            let origin = places.origin(of: rules.$hosts, "notifications.media.hosts")
            throw Fault(
                "the host of the picture is not allowed: \(url.host.quoted)",
                help: "add it to 'notifications.media.hosts'",
                origin: origin
            )
        }
        return url
    }

    private static func isOfInternet(_ host: String) -> Bool {
        guard let top = host.split(separator: ".", omittingEmptySubsequences: true).last, host.contains(".") else {
            return false
        }
        let isNumber = top.utf8.allSatisfy(\.isDigit) || top.lowercased().hasPrefix("0x")
        return !isNumber && !host.contains(":") && !["localhost", "local", "internal"].contains(top.lowercased())
    }

    private func keep(_ bytes: [UInt8], _ stem: String) async throws(Fault) -> String {
        guard let kind = MediaKind(of: bytes) else { throw Fault("unknown format of the picture") }
        let name = "\(stem).\(kind.rawValue)"
        do throws(FileFailure) {
            try await repository.files.prepare(repository.folder)
            let draft = try await repository.files.open("\(name).part", in: repository.folder)
            try await draft.cut(to: 0)
            try await draft.append(bytes)
            _ = try await draft.sync()
            try await draft.finish(as: name)
            await draft.close()
        } catch {
            // Another task has fetched it at the same time.
            guard error.kind == .exists || error.kind == .taken else { throw Fault(error.reason) }
        }
        return "\(repository.folder)/\(name)"
    }
}

extension MediaFetch {
    /// Makes it from the service's host; nil where files cannot be written.
    init?(_ rules: Media, _ present: NotificationsService.Present) {
        let host = present.host
        guard let media = present.media else { return nil }
        let requests = host.uses.requests
        self.init(rules, places: host.places, repository: media, clock: host.clock) {
            (url, limit, time) throws(Fault) in
            guard let requests else { throw Fault("no HTTP client available in this runner") }
            guard let address = try? Address(parsing: url.description) else { throw Fault("invalid URL") }
            var call = ServerCall(.get, .address(address), from: NotificationsSection.name)
            call.authorization = .none
            call.deadline = time
            call.redirects = .none
            call.fields["Accept"] = "image/*"
            let answer: ServerAnswer
            do throws(CallFailure) { answer = try await requests.send(call) } catch { throw error.fault }
            guard answer.status == .ok else {
                return try Brought(status: answer.status.code, location: answer.fields["Location"])
            }
            return .picture(try await answer.body.picture(upTo: limit))
        }
    }
}

extension BodyReader {
    /// Reads a whole picture; throws where it is too large or incomplete.
    package func picture(upTo limit: ByteCount) async throws(Fault) -> [UInt8] {
        do {
            return try await collect(upTo: limit)
        } catch is BodyTooLarge {
            throw Fault(
                "the picture is larger than \(limit)",
                help: "raise 'notifications.media.maxSize' to allow it"
            )
        } catch {
            throw Fault("the picture is incomplete")
        }
    }
}

/// The supported picture formats, recognized by their first bytes and not by media type.
enum MediaKind: String, CaseIterable, Sendable {
    case png, jpg, gif, webp

    init?(of bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) {
            self = .png
        } else if bytes.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpg
        } else if bytes.starts(with: "GIF8".utf8) {
            self = .gif
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else {
            return nil
        }
    }
}
