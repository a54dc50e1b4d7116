import WireBase
import WireConfig
import WireFormattingContract
import WireHTTP
import WireNotificationContract
import WirePushContract
import WireService
import WireStore
import WireTelemetry

/// Shows a notification, where and as far as it may be shown.
struct Presenter: Sendable {
    let settings: NotificationsSection
    let host: NotificationsHost
    let inbox: NotificationInbox
    let media: MediaShelf?
    let apps: ConnectedApps
    let permission: NotificationPermission
    let desktop: DesktopSink?
    let ledger: NotificationLedger

    enum End: Sendable {
        case shown
        case suppressed(String)
        /// Nobody was asked yet whether it may be shown.
        case waits
    }

    /// Decides and acts; what was shown before is not shown again.
    ///
    /// What was shown in the same place, or by the same id with other content, is replaced.
    func present(
        _ envelope: NotificationEnvelope,
        _ fields: NotificationFields,
        _ ballot: PresentationVote.Ballot,
        in place: String?
    ) async throws(StoreFailure) -> End {
        guard !ballot.options.isEmpty else { return .suppressed("no handler wants it shown") }
        switch permission.answer {
        case .denied: return .suppressed("notifications are denied")
        case .ask where settings.whileAsking == .wait: return .waits
        case .ask: return .suppressed("nobody was asked whether notifications may be shown")
        case .granted, nil: break
        }
        let options = inForeground(ballot.options)
        guard !options.isEmpty else { return .suppressed("the app is before the user's eyes") }
        let now = host.clock.wall()
        let entry = InboxEntry(
            envelope: envelope,
            options: options,
            buttons: NotificationView.buttons(ballot.buttons, settings, fields, host.find(.declaredFormats)),
            shown: now
        )
        let former = try inbox.former(of: entry, place: place)
        guard !former.isLate else { return .suppressed("a later one was shown in its place") }
        // It is on the disk before it is seen, so that it is never shown twice.
        let isNew = try await inbox.put(entry, settings.inbox, at: now)
        try await inbox.replace(former.entries, by: entry, place: place)
        guard isNew else { return .shown }
        await wear(entry)
        for old in former.entries where old.envelope.media != entry.envelope.media {
            guard let image = old.envelope.media else { continue }
            try await media?.release(image, of: old.envelope.id)
        }
        let replaces = former.entries.last?.envelope.id
        await show(NotificationView(entry: entry, push: fields.push, replaces: replaces), options)
        host.uses.pushServers?.shown(fields.push)
        return .shown
    }

    /// The picture goes with the entry, when its time is over; where that cannot be written down it goes by its own.
    private func wear(_ entry: InboxEntry) async {
        guard let media, let image = entry.envelope.media else { return }
        let lifetime = min(entry.lifetime(settings.inbox, at: entry.shown), settings.media?.keep ?? settings.inbox.keep)
        try? await media.keep(image, of: entry.envelope.id, for: lifetime)
    }

    private func inForeground(_ options: [PresentationOption]) -> [PresentationOption] {
        guard settings.foreground != .show, apps.isForeground else { return options }
        return settings.foreground == .hide ? [] : options.filter { $0 == .badge || $0 == .list }
    }

    private func show(_ view: NotificationView, _ options: [PresentationOption]) async {
        if settings.sinks.contains(.terminal), options.contains(.banner) {
            _ = host.find(.terminalNotices)?.write(view.line)
        }
        var shown = view.shown
        if options.contains(.badge) { shown.unread = try? inbox.unread(at: host.clock.wall()) }
        // The console and apps are told by it, whatever the other sinks do.
        let isWhole = settings.sinks.contains(.console)
        ledger.shown(isWhole ? .whole(shown) : .short(.init(shown.id, replaces: shown.replaces)))
        // The last one, as it alone may have to be waited for.
        if settings.sinks.contains(.desktop), options.contains(.banner) || options.contains(.sound) {
            await desktop?.show(view, options)
        }
    }
}
