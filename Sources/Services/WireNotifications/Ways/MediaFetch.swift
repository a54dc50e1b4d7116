import WireBase
import WireConfig
import WireHTTP
import WireSecrets
import WireService
import WireTelemetry

/// Fetches the picture of a notification, as far and from where the file lets it be.
struct MediaFetch: Sendable {
    private let rules: Media
    private let host: ServiceHost

    init(_ rules: Media, _ host: ServiceHost) { (self.rules, self.host) = (rules, host) }

    /// The path of the file; nil where there is none in time: then the notification is shown without.
    func fetch(_ text: String) async -> String? {
        do throws(Fault) {
            let url = try allowed(text)
            let limited = await withTaskGroup(of: Result<String, Fault>.self) { group in
                group.addTask {
                    do throws(Fault) { return .success(try await fetch(url, text)) } catch { return .failure(error) }
                }
                group.addTask {
                    try? await host.clock.sleep(rules.timeout)
                    return .failure(Fault("it took longer than \(rules.timeout.literal.plainText)"))
                }
                defer { group.cancelAll() }
                return await group.next() ?? .failure(Fault("nothing came"))
            }
            return try limited.get()
        } catch {
            host.log.notice("a notification is shown without its picture", ["reason": .text(error.reason)])
            return nil
        }
    }

    private func allowed(_ text: String) throws(Fault) -> Address {
        guard text.utf8.count <= 4_096, let url = try? WebURL(parsing: text), let address = try? Address(parsing: text)
        else { throw Fault("found the picture \(text.quoted), expected a URL") }
        guard rules.hosts.isEmpty || rules.hosts.contains(where: { $0.covers(url.host) }) else {
            throw host.fault(
                "pictures are not fetched from \(url.host.quoted)",
                at: rules.$hosts,
                "notifications.media.hosts"
            )
        }
        return address
    }

    private func fetch(_ address: Address, _ text: String) async throws(Fault) -> String {
        guard let requests = host.find(.serverRequests) else { throw Fault("nothing sends requests here") }
        var call = ServerCall(.get, .address(address), from: NotificationsSection.name)
        call.authorization = .none
        call.deadline = rules.timeout
        call.fields["Accept"] = "image/*"
        let answer: ServerAnswer
        do throws(CallFailure) { answer = try await requests.send(call) } catch { throw error.fault }
        guard answer.status == .ok else { throw Fault("the server of the picture answered with \(answer.status.code)") }
        let bytes: [UInt8]
        do {
            bytes = try await answer.body.collect(upTo: rules.maxSize)
        } catch is BodyTooLarge {
            throw host.fault("the picture is larger than may be", at: rules.$maxSize, "notifications.media.maxSize")
        } catch {
            throw Fault("the picture did not come whole")
        }
        guard let kind = MediaKind(of: bytes) else { throw Fault("what came is no picture that is known") }
        return try await keep(bytes, text, kind)
    }

    /// The same picture is the same file.
    private func keep(_ bytes: [UInt8], _ text: String, _ kind: MediaKind) async throws(Fault) -> String {
        guard let files = host.find(.fileWriting), let folder = host.find(.dataFolder)?.path,
            let digest = try? host.find(.secrecy)?.digest(Array(text.utf8)).hexadecimal
        else { throw Fault("no file can be written here") }
        let (place, name) = ("\(folder)/notifications", "\(digest.prefix(32)).\(kind.rawValue)")
        do throws(FileFailure) {
            try await files.prepare(place)
            if files.look(at: name, in: place)?.size == bytes.count { return "\(place)/\(name)" }
            try await files.remove(name, in: place)
            let draft = try await files.open("\(name).part", in: place)
            try await draft.cut(to: 0)
            try await draft.append(bytes)
            _ = try await draft.sync()
            try await draft.finish(as: name)
            await draft.close()
            return "\(place)/\(name)"
        } catch {
            throw Fault(error.reason)
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
