import WireBase
package import WireConfig
import WireNotificationContract
import WireService

extension NotificationsSection {
    /// The rules across the keys of the section.
    package func check(_ checks: inout Checks) {
        for item in handlers.items {
            let path = "notifications.handlers.\(item.name)"
            checkActions(item.value, path, item.place, &checks)
            checkMoment(item.value, path, &checks)
            checkButtons(item.value, path, &checks)
            checkNeeds(item.value, path, &checks)
            checkVariables(item.value, path, &checks)
        }
        for item in buttons.items { checkButton(item, &checks) }
        if let exec = links.exec { checkLinkProgram(exec, &checks) }
        checkSinks(&checks)
        for item in streams.items { item.value.source.check("notifications.streams.\(item.name)", &checks) }
        checkClientIDs(&checks)
        if streams.items.count > Self.mostStreams {
            checks.report(
                .tooManyStreams,
                at: streams.items[Self.mostStreams].namePlace,
                "notifications.streams has \(streams.items.count) streams: at most \(Self.mostStreams) are allowed",
                help: "combine several into one, and distinguish their events by 'when'"
            )
        }
    }

    /// Half of the maximum number of connections to a host.
    private static let mostStreams = 16

    // MARK: Actions

    private func checkActions(_ handler: Handler, _ path: String, _ place: Place, _ checks: inout Checks) {
        let actions = [
            handler.$refetch, handler.$download, handler.$present, handler.$exec, handler.$post, handler.$open,
            handler.$state, handler.$log,
        ]
        guard actions.allSatisfy({ $0.state == .absent }) else { return }
        checks.report(
            .noAction,
            at: place,
            "\(path) has no action",
            help: "write one or more of 'refetch', 'download', 'state', 'log', 'present', 'exec', 'post' and 'open'"
        )
    }

    private func checkMoment(_ handler: Handler, _ path: String, _ checks: inout Checks) {
        guard handler.$moment.isWritten else { return }
        let moment = handler.moment
        if moment != .presentable, handler.present != nil {
            checks.report(
                .actionAtWrongMoment,
                at: handler.$present,
                "\(path).present is for 'presentable', not for '\(moment.rawValue)'",
                help: "write \(setting: "on: presentable")",
                related: (handler.$moment, "the moment is set here")
            )
        }
        if moment != .presentable, handler.$buttons.isWritten {
            checks.report(
                .actionAtWrongMoment,
                at: handler.$buttons,
                "\(path).buttons is for 'presentable', not for '\(moment.rawValue)'",
                help: "write \(setting: "on: presentable")",
                related: (handler.$moment, "the moment is set here")
            )
        }
        if moment != .tap, handler.open != nil {
            checks.report(
                .actionAtWrongMoment,
                at: handler.$open,
                "\(path).open is for taps: links open only when the user taps",
                help: "write \(setting: "on: tap")",
                related: (handler.$moment, "the moment is set here")
            )
        }
        if let open = handler.open { checkScheme(open, "\(path).open", handler.$open, &checks) }
    }

    // MARK: Buttons and links

    private func checkButtons(_ handler: Handler, _ path: String, _ checks: inout Checks) {
        let names = handler.buttons.map(\.text)
        let known = buttons.items.map(\.name)
        if $buttons.state != .uncertain {
            for name in names where !known.contains(name) {
                let nearest = Nearest.name(to: name, among: known)
                checks.report(
                    .unknownButton,
                    at: handler.$buttons,
                    "\(path).buttons: unknown button \(name.quoted)",
                    label: nearest.map { "did you mean '\($0)'?" } ?? "",
                    help: nearest == nil ? "declare it under 'notifications.buttons'" : nil
                )
            }
        }
        if names.count > Handler.mostButtons {
            checks.report(
                .tooManyButtons,
                at: handler.$buttons,
                "\(path).buttons has \(names.count) buttons: at most three can be shown"
            )
        }
        if handler.$buttons.isWritten, !names.isEmpty, handler.$present.state == .absent {
            checks.report(
                .noAction,
                at: handler.$buttons,
                "\(path).buttons has no effect without 'present'",
                help: "write \(setting: "present: [banner]")"
            )
        }
    }

    private func checkButton(_ item: Named<Button>.Item, _ checks: inout Checks) {
        let path = "notifications.buttons.\(item.name)"
        let button = item.value
        if [button.$open, button.$exec, button.$post].allSatisfy({ $0.state == .absent }) {
            checks.report(
                .noAction,
                at: item.place,
                "\(path) has no action",
                help: "write one or more of 'open', 'exec' and 'post'"
            )
        }
        if let open = button.open { checkScheme(open, "\(path).open", button.$open, &checks) }
        reportUnsigned(button.$sign, button.$post, path, at: button.$label, &checks)
        checkToken(button.authorization, button.$authorization, button.post, button.$post, path, &checks)
        let users = handlers.items.filter { $0.value.buttons.contains { $0.text == item.name } }
        if users.isEmpty, $handlers.state != .uncertain, !isPerhapsMeant(item.name) {
            checks.report(
                .unusedButton,
                at: item.place,
                "no handler shows \(path)",
                help: "add it to 'buttons' of a handler with 'present'"
            )
        }
        guard users.allSatisfy({ $0.value.$condition.state != .uncertain }) else { return }
        for template in variableUses(button) {
            reportUnguarded(template, path, guards: users.map(\.value.condition), &checks)
        }
    }

    /// Whether a handler names an undeclared button that may be this one, misspelt.
    private func isPerhapsMeant(_ button: String) -> Bool {
        let known = buttons.items.map(\.name)
        return handlers.items.contains { handler in
            handler.value.buttons.contains { name in
                !known.contains(name.text) && Nearest.names(to: name.text, among: known).contains(button)
            }
        }
    }

    /// Checks the scheme of a link whose text before its first variable contains the colon.
    private func checkScheme(_ link: Template, _ path: String, _ place: Place, _ checks: inout Checks) {
        guard case .text(let start)? = link.pieces.first, let colon = start.firstIndex(of: ":"),
            let scheme = try? LinkScheme(parsing: String(start[..<colon])), !links.schemes.contains(scheme),
            $links.state != .uncertain, links.$schemes.state != .uncertain || $links.state == .absent
        else { return }
        checks.report(
            .refusedScheme,
            at: place,
            "\(path) has scheme \(scheme.text.quoted), which notifications.links.schemes lacks",
            help:
                "write \(setting: "links: { schemes: [\((links.schemes.map(\.text) + [scheme.text]).joined(separator: ", "))] }")"
        )
    }

    private func checkLinkProgram(_ exec: Command, _ checks: inout Checks) {
        guard !exec.arguments.contains(where: { $0.variables.contains("link") }) else { return }
        checks.report(
            .linkNotPassed,
            at: links.$exec,
            "notifications.links.exec does not use the link",
            help: "add \"{{ link }}\""
        )
    }

    // MARK: Needs

    private func checkNeeds(_ handler: Handler, _ path: String, _ checks: inout Checks) {
        for name in handler.refetch?.names ?? [] {
            checks.need(
                Provision(.operation, name),
                .unknownOperation,
                at: handler.$refetch,
                "\(path).refetch: unknown operation \(name.quoted)",
                help: "add it to one of the files of 'sync.operations'"
            )
        }
        if handler.state != nil {
            checks.need(
                Provision(.state),
                .nowhereToStore,
                at: handler.$state,
                "\(path).state needs the section 'persistence'",
                help: "write \(setting: "persistence: {}") at the top of the file"
            )
        }
        reportUnsigned(handler.$sign, handler.$post, path, at: handler.$moment, &checks)
        checkToken(handler.authorization, handler.$authorization, handler.post, handler.$post, path, &checks)
        if handler.download != nil {
            checks.need(
                Provision(.downloads),
                .nowhereToDownload,
                at: handler.$download,
                "\(path).download needs a directory for downloads",
                help: "write \(setting: "background: { downloads: { directory: downloads } }") at the top of the file"
            )
        }
    }

    /// Reports a secret that signs nothing, since 'post' was probably forgotten.
    ///
    /// The secret's value may be unknown, so the message is separate.
    private func reportUnsigned(_ sign: Place, _ post: Place, _ path: String, at place: Place, _ checks: inout Checks) {
        guard sign.state != .absent, post.state == .absent else { return }
        checks.report(.nothingSigned, at: place, "\(path).sign has no effect without 'post'", help: "add 'post'")
    }

    private func checkToken(
        _ choice: TokenChoice?,
        _ place: Place,
        _ post: Address?,
        _ postPlace: Place,
        _ path: String,
        _ checks: inout Checks
    ) {
        guard let choice else { return }
        guard postPlace.state != .absent else {
            checks.report(
                .authorizationUse,
                at: place,
                "\(path).authorization has no effect without 'post'",
                help: "add 'post'"
            )
            return
        }
        checks.needToken(choice, at: place, "\(path).authorization", for: post, from: postPlace)
    }

    private func checkSinks(_ checks: inout Checks) {
        for sink in Sink.allCases where sinks.count(where: { $0 == sink }) > 1 {
            checks.report(.duplicateSink, at: $sinks, "notifications.sinks has '\(sink.rawValue)' more than once")
        }
        guard $sinks.isWritten, !sinks.isEmpty, $handlers.state != .uncertain,
            handlers.items.allSatisfy({ $0.value.$present.state == .absent })
        else { return }
        checks.report(
            .unusedSinks,
            at: $sinks,
            "notifications.sinks has no effect, because no handler has 'present'",
            help: "write \(setting: "handlers: { show: { on: presentable, present: [banner] } }")"
        )
    }
}
