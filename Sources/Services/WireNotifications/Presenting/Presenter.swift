import WireBase
import WireConfig
import WireFormattingContract
import WireHTTP
import WireNotificationContract
import WirePushContract
import WireService
import WireStore
import WireTelemetry

/// Shows a notification where it is allowed.
struct Presenter: Sendable {
    let settings: NotificationsSection
    let host: NotificationsHost
    let inbox: NotificationInbox
    let media: MediaRepository?
    let apps: ConnectedApps
    let permission: NotificationPermission
    let desktop: DesktopSink?
    let telemetry: NotificationTelemetry

    enum End: Sendable {
        case shown
        case suppressed(String)
        /// The permission is not decided yet.
        case waits
    }

    /// Decides and shows; a notification that was shown before is not shown again.
    ///
    /// It replaces one with the same key, or with the same id and other content.
    func present(
        _ envelope: NotificationEnvelope,
        _ fields: NotificationFields,
        _ ballot: PresentationVote.Votes,
        in place: String?
    ) async throws(StoreFailure) -> End {
        guard !ballot.options.isEmpty else { return .suppressed("no handler presents the notification") }
        switch permission.answer {
        case .denied: return .suppressed("notifications are denied")
        case .ask where settings.whileAsking == .wait: return .waits
        case .ask: return .suppressed("the notification permission is not decided")
        case .granted, nil: break
        }
        let options = inForeground(ballot.options)
        guard !options.isEmpty else { return .suppressed("the app is in the foreground") }
        let now = host.clock.wall()
        let entry = InboxEntry(
            envelope: envelope,
            options: options,
            buttons: NotificationView.buttons(ballot.buttons, settings, fields, host.find(.declaredFormats)),
            shown: now
        )
        let former = try await inbox.former(of: entry, place: place)
        guard !former.isLate else { return .suppressed("replaced by a later notification") }
        // Stored before it is shown, so that it is never shown twice.
        let isNew = try await inbox.put(entry, settings.inbox, at: now) {
            do throws(StoreFailure) {
                try await show(entry, fields.push, options, replacing: former.entries, in: place)
            } catch {
                telemetry.record(error)
            }
        }
        guard isNew else {
            try await inbox.replace(former.entries, by: entry, place: place)
            return .shown
        }
        try await show(entry, fields.push, options, replacing: former.entries, in: place)
        return .shown
    }

    /// Shows a stored entry, also where the store fails or the claim is lost: no later run would show it.
    private func show(
        _ entry: InboxEntry,
        _ push: ReceivedPush,
        _ options: [PresentationOption],
        replacing former: [InboxEntry],
        in place: String?
    ) async throws(StoreFailure) {
        var failure: StoreFailure?
        do throws(StoreFailure) {
            try await inbox.replace(former, by: entry, place: place)
            await wear(entry)
            for old in former where old.envelope.media != entry.envelope.media {
                guard let image = old.envelope.media else { continue }
                try await media?.release(image, of: old.envelope.id)
            }
        } catch {
            failure = error
        }
        await show(NotificationView(entry: entry, push: push, replaces: former.last?.envelope.id), options)
        host.uses.pushServers?.shown(push)
        if let failure { throw failure }
    }

    /// Ties the picture's lifetime to the entry; where that cannot be stored, the picture keeps its own.
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
        if options.contains(.badge) { shown.unread = try? await inbox.unread(at: host.clock.wall()) }
        // Informs the console and apps, independently of other sinks.
        let isWhole = settings.sinks.contains(.console)
        telemetry.shown(isWhole ? .whole(shown) : .short(.init(shown.id, replaces: shown.replaces)))
        // Last, since only this sink may have to be waited for.
        if settings.sinks.contains(.desktop), options.contains(.banner) || options.contains(.sound) {
            await desktop?.show(view, options)
        }
    }
}
