package import WireBase
package import WireConfig
import WireHTTP
import WireNetworkContract
package import WireService
import WireStore

/// Fetches the picture of a notification, as far and from where the file lets it be.
package struct MediaFetch: Sendable {
    /// Brings what is at a URL, as far as the limit and within the time; follows no redirect.
    package typealias Get = @Sendable (WebURL, ByteCount, Duration) async throws(Fault) -> Brought

    /// What a server answers.
    package enum Brought: Sendable {
        case picture([UInt8])
        /// It is elsewhere.
        case moved(String)

        /// An answer other than one with a picture in it leads elsewhere, or to nothing.
        package init(status: Int, location: String?) throws(Fault) {
            guard (300..<400).contains(status), let location else {
                throw Fault("the server of the picture answered with \(status)")
            }
            self = .moved(location)
        }
    }

    /// How often a picture may be elsewhere.
    private static let hops = 3

    private let rules: Media
    private let places: Places
    private let shelf: MediaShelf
    private let clock: Clockwork
    private let get: Get

    /// Keeps what it fetches on a shelf.
    package init(
        _ rules: Media,
        places: Places,
        shelf: MediaShelf,
        clock: Clockwork,
        getting get: @escaping Get
    ) {
        (self.rules, self.places, self.shelf, self.clock, self.get) = (rules, places, shelf, clock, get)
    }

    /// The path of the file, which is there for as long as the notification is, and the file keeps pictures; throws where
    /// there is none in time: then the notification is shown without.
    package func fetch(_ text: String, for id: String, within limit: Duration? = nil) async throws(Fault) -> String {
        let url = try allowed(text)
        let stem = shelf.stem(of: text)
        try await Fault.rethrowing(try await shelf.want(stem, for: id, keeping: rules.keep))
        // The same picture is the same file.
        if let file = shelf.file(stem) { return "\(shelf.folder)/\(file)" }
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
                return .failure(Fault("it took longer than \(time.literal.plainText)"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(Fault("nothing came"))
        }
        return try result.get()
    }

    /// Each step on the way is judged like the first.
    private func bytes(_ first: WebURL, within time: Duration) async throws(Fault) -> [UInt8] {
        var url = first
        for _ in 0...Self.hops {
            switch try await get(url, rules.maxSize, time) {
            case .picture(let bytes): return bytes
            case .moved(let location):
                guard let next = url.resolving(location) else { throw Fault("the picture is nowhere that is known") }
                guard next.scheme == "https" || url.scheme == "http" else {
                    throw Fault("the picture would come without encryption")
                }
                url = try allowed(next)
            }
        }
        throw Fault("the picture is elsewhere, and there elsewhere again")
    }

    private func allowed(_ text: String) throws(Fault) -> WebURL {
        guard text.utf8.count <= 4_096, let url = try? WebURL(parsing: text),
            url.scheme == "https" || url.scheme == "http"
        else { throw Fault("found the picture \(text.quoted), expected a URL") }
        return try allowed(url)
    }

    /// A sender may name any host of the Internet where the file lists none; but what has no name there is this machine or
    /// one beside it, and none of a sender's business unless it is listed.
    private func allowed(_ url: WebURL) throws(Fault) -> WebURL {
        let isListed = rules.hosts.contains { $0.covers(url.host) }
        guard isListed || (rules.hosts.isEmpty && Self.isOfInternet(url.host)) else {
            let origin = places.origin(of: rules.$hosts, "notifications.media.hosts")
            throw Fault(
                "pictures are not fetched from \(url.host.quoted)",
                help: "list it in 'notifications.media.hosts' where it is meant to be",
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
        guard let kind = MediaKind(of: bytes) else { throw Fault("what came is no picture that is known") }
        let name = "\(stem).\(kind.rawValue)"
        do throws(FileFailure) {
            try await shelf.files.prepare(shelf.folder)
            let draft = try await shelf.files.open("\(name).part", in: shelf.folder)
            try await draft.cut(to: 0)
            try await draft.append(bytes)
            _ = try await draft.sync()
            try await draft.finish(as: name)
            await draft.close()
        } catch {
            // Somebody else has fetched it at the same time.
            guard error.kind == .exists || error.kind == .taken else { throw Fault(error.reason) }
        }
        return "\(shelf.folder)/\(name)"
    }
}

extension MediaFetch {
    /// With what a service finds around it; nil where no file can be written.
    init?(_ rules: Media, _ present: NotificationsService.Present) {
        let host = present.host
        guard let media = present.media else { return nil }
        let requests = host.uses.requests
        self.init(rules, places: host.places, shelf: media, clock: host.clock) {
            (url, limit, time) throws(Fault) in
            guard let requests else { throw Fault("nothing sends requests here") }
            guard let address = try? Address(parsing: url.description) else { throw Fault("there is no such URL") }
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
    /// All of a picture; throws where it is larger than may be, or does not come whole.
    package func picture(upTo limit: ByteCount) async throws(Fault) -> [UInt8] {
        do {
            return try await collect(upTo: limit)
        } catch is BodyTooLarge {
            throw Fault(
                "the picture is larger than \(limit)",
                help: "'notifications.media.maxSize' says how large it may be"
            )
        } catch {
            throw Fault("the picture did not come whole")
        }
    }
}

/// The kinds of pictures that are shown, told by how they begin and not by what a server calls them.
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
