import WireBase
import WireConfig
import WireDeviceContract
import WireDownloadContract
import WireFormattingContract
import WireHTTP
import WireNetworkContract
import WireNotificationContract
import WireSecrets
import WireService
import WireStateContract
import WireTelemetry

/// The actions of a handler, a button or a link.
struct HandlerActions: Sendable {
    let present: NotificationsService.Present
    let fields: NotificationFields
    let name: String
    /// Its path in the file.
    let path: String
    let attempts: Int
    let timeout: Duration

    private var settings: NotificationsSection { present.settings }
    private var host: NotificationsHost { present.host }

    // MARK: Templates

    func fill(_ template: Template, _ place: Place, _ key: String) throws(HandlerFault) -> String {
        try fill(template, fields, place, key)
    }

    private func fill(
        _ template: Template,
        _ fields: NotificationFields,
        _ place: Place,
        _ key: String
    ) throws(HandlerFault) -> String {
        do throws(TemplateFilling.Failure) {
            return try fields.filling(host.find(.declaredFormats)).fill(template)
        } catch .missing(let name) {
            throw lasting(
                "the notification has no \(name.quoted)",
                place,
                key,
                help: "add it to 'when', or write a default"
            )
        } catch {
            throw lasting("the filled template is longer than 64KiB", place, key)
        }
    }

    // MARK: Queries and files

    /// Refetches queries; true where any of the results has changed.
    func refetch(_ names: OperationNames, _ place: Place) async throws(HandlerFault) -> Bool {
        guard let refetching = host.uses.refetching else {
            throw failed("queries cannot be refetched: the service 'sync' does not run", place, "refetch")
        }
        var isNew = false
        for operation in names.names where try await HandlerFault.rethrowing(try await refetching.refetch(operation)) {
            isNew = true
        }
        return isNew
    }

    /// Requests a download; done when the request is on the disk, since the downloads fetch the file.
    func download(_ template: Template, _ place: Place) async throws(HandlerFault) {
        guard let downloads = host.uses.downloads else {
            throw failed("no downloads available in this runner", place, "download")
        }
        var newDownload = NewDownload(try fill(template, place, "download"), service: NotificationsSection.name)
        newDownload.id = downloadID
        do throws(DownloadFailure) {
            _ = try await downloads.fetch(newDownload)
        } catch {
            let fault = Fault(error.reason, help: error.help, origin: error.origin ?? origin(place, "download"))
            throw HandlerFault(fault, isLasting: error.kind == .forbidden || error.kind == .invalid)
        }
    }

    /// Notifications with the same content share a download; the sender's id may be no valid id of a download.
    private var downloadID: String {
        let id = fields.update.map { "\(fields.id):\($0)" } ?? fields.id
        let plain = "notification.\(name).\(id)"
        guard plain.utf8.count > 200 || !plain.utf8.allSatisfy(Self.isPlain) else { return plain }
        return "notification.~\(present.digest("\(name)\n\(id)"))"
    }

    private static func isPlain(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || "._-:".utf8.contains(byte) }

    func store(_ action: StateAction, _ place: Place) async throws(HandlerFault) {
        guard let state = host.uses.state else { throw failed("no store available in this runner", place, "state") }
        let key = try fill(action.key, action.$key, "state.key")
        let value = try fill(action.value, action.$value, "state.value")
        // On the disk before the result of the handler is.
        try await HandlerFault.rethrowing(try await state.write(value, under: key, in: action.namespace.text))
    }

    func log(_ action: LogAction) throws(HandlerFault) {
        let text = try fill(action.text, action.$text, "log.text").shown(upTo: 2_000)
        let (id, handler) = (LogValue.text(fields.id), LogValue.text(name))
        switch action.level {
        case .debug: host.log.debug(text, ["id": id, "handler": handler])
        case .info: host.log.info(text, ["id": id, "handler": handler])
        case .notice: host.log.notice(text, ["id": id, "handler": handler])
        case .warning: host.log.warning(text, ["id": id, "handler": handler])
        case .error: host.log.error(text, ["id": id, "handler": handler])
        }
    }

    // MARK: Programs

    /// Runs a program; status 0 means something new, 10 nothing new, another a failure.
    func run(_ command: Command, _ place: Place, _ key: String = "exec") async throws(HandlerFault) -> Bool {
        try await run(command, fields, place, "\(path).\(key)")
    }

    private func run(
        _ command: Command,
        _ fields: NotificationFields,
        _ place: Place,
        _ key: String
    ) async throws(HandlerFault) -> Bool {
        guard let programs = host.find(.programs) else {
            throw failed("no programs can be run in this runner", place, "exec")
        }
        var call = ProgramCall(command.program, try arguments(command, fields, place))
        call.environment = [
            "COREWIRE_NOTIFICATION_ID": fields.id, "COREWIRE_HANDLER": name, "COREWIRE_ATTEMPT": "\(attempts + 1)",
        ]
        if let environment = host.facts.name { call.environment["COREWIRE_ENV"] = environment }
        call.input = fields.json.bytes()
        call.timeLimit = timeout
        call.doesClaimedWork = true
        let outcome: ProgramOutcome
        do throws(ProgramFailure) {
            outcome = try await programs.run(call)
        } catch {
            throw HandlerFault(
                Fault(error.reason, help: error.help, origin: host.places.origin(ofProgram: place, key)),
                isLasting: error.kind == .notFound || error.kind == .notExecutable
            )
        }
        if outcome.end == .exited(10) { return false }
        guard outcome.isSuccess else {
            throw HandlerFault(host.fault("\(command.program.quoted) \(outcome.description)", at: place, key))
        }
        return true
    }

    /// A value of a notification must never be an option of the program: an argument that starts with a value may not
    /// start with '-', unless the file has '--' before it.
    private func arguments(_ command: Command, _ fields: NotificationFields, _ place: Place) throws(HandlerFault)
        -> [String]
    {
        var arguments: [String] = []
        for template in command.arguments {
            let text = try fill(template, fields, place, "exec")
            guard !text.utf8.contains(0) else {
                throw lasting("an argument contains a NUL", place, "exec")
            }
            if text.utf8.first == UInt8(ascii: "-"), case .value? = template.pieces.first, !arguments.contains("--") {
                throw lasting(
                    "an argument from the notification begins with '-', which \(command.program.quoted) would take for an option",
                    place,
                    "exec",
                    help: "write \"--\" before it, if the program supports it"
                )
            }
            arguments.append(text)
        }
        return arguments
    }

    // MARK: Posts

    /// Posts the notification; true where the server has something new, which 204 denies.
    func post(
        _ address: Address,
        as choice: TokenChoice?,
        sign key: Secret<String>?,
        _ place: Place
    ) async throws(HandlerFault) -> Bool {
        guard let requests = host.uses.requests else {
            throw failed("no HTTP client available in this runner", place, "post")
        }
        var call = ServerCall(
            .post,
            .address(address),
            from: NotificationsSection.name,
            at: origin(place, "post")
        )
        var members = fields.json.members ?? []
        members.append(("handler", .string(name)))
        let body = JSONValue.object(members).bytes()
        call.body = .bytes(body)
        call.fields["Content-Type"] = "application/json"
        call.fields["Corewire-Notification"] =
            fields.id.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? fields.id : nil
        // The sender's id may not be unique to this device.
        do throws(Fault) {
            // An update and each tap are separate posts; the parts of the id are stored, so a retry has the same id.
            call.fields["Request-ID"] = try await InstallIdentity(host).id(
                of: "notification",
                path,
                fields.id,
                fields.update ?? "",
                fields.tap.map { "\($0) \(fields.button ?? "")" } ?? ""
            )
        } catch {
            throw failed(error.reason, place, "post")
        }
        if let key {
            guard let secrecy = host.find(.secrecy) else {
                throw failed("no signatures available in this runner", place, "sign")
            }
            do throws(Fault) {
                let signature = MessageSignature(secrecy)
                call.fields["Corewire-Signature"] = try signature.field(body, at: host.clock.wall(), key: key)
            } catch {
                throw failed(error.reason, place, "sign")
            }
        }
        call.authorization = .init(choice, authenticated: true)
        call.redirects = .unchanged
        call.offlinePolicy = OfflinePolicy.none
        call.deadline = timeout
        call.isRepeatable = true
        let answer: ServerAnswer
        do throws(CallFailure) {
            answer = try await requests.send(call)
        } catch {
            throw HandlerFault(error.fault, isLasting: !error.mayPass && error.kind.isLasting)
        }
        // The body is read in any case, so that the connection can be reused.
        var rest = ByteCount.mebibytes(1).bytes
        while rest > 0, let bytes = try? await answer.body.read() { rest -= bytes.count }
        let status = answer.status
        guard (200..<300).contains(status.code) else {
            let reason = "the server responded with status \(status.code)\(status.redirectNote)"
            // Another token may be accepted.
            let isLasting = !status.isTransient && status != .unauthorized
            throw HandlerFault(Fault(reason, origin: origin(place, "post")), isLasting: isLasting)
        }
        return status != .noContent
    }

    // MARK: Links

    /// Opens a link with the configured program, and informs connected apps.
    func open(_ text: String) async throws(HandlerFault) {
        let link: NotificationLink
        do throws(Fault) {
            link = try NotificationLink(text, by: settings.links)
        } catch {
            let origin = host.places.origin(of: settings.links.$schemes, "notifications.links.schemes")
            throw HandlerFault(Fault(error.reason, help: error.help, origin: error.origin ?? origin), isLasting: true)
        }
        if let exec = settings.links.exec {
            var fields = fields
            fields.extra["link"] = link.text
            _ = try await run(exec, fields, settings.links.$exec, "notifications.links.exec")
        }
        var event = NotificationEvent(fields.id)
        event.link = link.text
        host.emit(NotificationEvents.opened, event)
    }

    // MARK: Faults

    private func origin(_ place: Place, _ key: String) -> ValueOrigin? {
        host.places.origin(of: place, "\(path).\(key)")
    }

    private func failed(_ reason: String, _ place: Place, _ key: String) -> HandlerFault {
        HandlerFault(host.fault(reason, at: place, "\(path).\(key)"))
    }

    private func lasting(_ reason: String, _ place: Place, _ key: String, help: String? = nil) -> HandlerFault {
        HandlerFault(host.fault(reason, at: place, "\(path).\(key)", help: help), isLasting: true)
    }
}

extension CallFailure.Kind {
    /// Whether only a change of the file would help.
    fileprivate var isLasting: Bool {
        switch self {
        case .noAddress, .forbidden: true
        default: false
        }
    }
}
