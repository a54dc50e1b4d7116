import WireAddonContract
import WireBase
import WireDeviceContract
import WireService

/// Adapts an add-on of the program for the add-ons service.
struct ProgramAddon: AddonCode {
    let addon: any CorewireAddon
    let listens: AddonPoints
    let answers: AddonPoints

    init(_ addon: any CorewireAddon) {
        self.addon = addon
        var (listens, answers): ([AddonPoint], [AddonPoint]) = ([], [])
        if addon is any CorewireLifecycleAddon {
            listens += [.starting, .ready, .draining, .stopping]
            listens += [.environmentWillChange, .environmentDidChange, .environmentStayed]
        }
        if addon is any CorewireDeviceAddon {
            answers += [.deviceWillSetUp, .deviceWillRegister]
            listens += [.deviceDidRegister]
        }
        if addon is any CorewireNotificationsAddon {
            answers += [.notificationReceived]
            listens += [.tokenCame, .tokenFailed, .notificationResponse]
        }
        if let network = addon as? any CorewireNetworkAddon {
            if network.mayRefuseRequests { answers += [.requestWillPerform] }
            listens += [.requestWillPerform, .requestDidPerform]
        }
        if addon is any CorewireDeepLinkAddon { answers += [.linkOpen] }
        if addon is any CorewireAuthAddon { listens += [.signedIn, .signedOut] }
        if addon is any CorewireAuthProvider { answers += [.signIn] }
        (self.listens, self.answers) = (AddonPoints(listens + answers), AddonPoints(answers))
    }

    var name: String { addon.addonName }
    var isRequired: Bool { addon.isRequired }
    var timeout: Duration { addon.timeout }
    func setUp() async throws { try await addon.setUp() }
    func startUp() async throws { try await addon.startUp() }

    func handle(_ moment: AddonMoment) async {
        let lifecycle = addon as? any CorewireLifecycleAddon
        let notifications = addon as? any CorewireNotificationsAddon
        switch moment {
        case .starting: await lifecycle?.willStart()
        case .ready: await lifecycle?.didStart()
        case .draining: await lifecycle?.willDrain()
        case .stopping: await lifecycle?.willStop()
        case .environmentWillChange(let from, let to): await lifecycle?.willChangeEnvironment(from: from, to: to)
        case .environmentDidChange(let from, let to): await lifecycle?.didChangeEnvironment(from: from, to: to)
        case .environmentStayed(let name, let reason):
            await lifecycle?.didNotChangeEnvironment(name, because: reason)
        case .deviceDidRegister(let device):
            await (addon as? any CorewireDeviceAddon)?.didRegister(Corewire.Device(device))
        case .tokenCame(let provider, let token):
            await notifications?.didReceiveToken(Corewire.Secret(token), of: provider)
        case .tokenFailed(let provider, let reason):
            await notifications?.didFailToGetToken(of: provider, because: reason)
        case .response(let id, let button): await notifications?.didRespond(to: id, button: button)
        case .requestDidPerform(let request, let end):
            let network = addon as? any CorewireNetworkAddon
            await network?.didPerform(Corewire.AddonRequest(request), Corewire.AddonRequest.End(end))
        case .signedIn(let mode, let user):
            await (addon as? any CorewireAuthAddon)?.didSignIn(subject: user?.subject, mode: mode)
        case .signedOut(let mode, let reason):
            await (addon as? any CorewireAuthAddon)?.didSignOut(mode: mode, because: reason)
        case .asked(let question): _ = try? await reply(to: question)
        }
    }

    func reply(to question: AddonQuestion) async throws -> AddonReply? {
        switch question {
        case .deviceWillSetUp(let known):
            guard let addon = addon as? any CorewireDeviceAddon else { return nil }
            return .device(try await changed(known) { try await addon.willSetUp(&$0) })
        case .deviceWillRegister(let known):
            guard let addon = addon as? any CorewireDeviceAddon else { return nil }
            return .device(try await changed(known) { try await addon.willRegister(&$0) })
        case .received(let notification):
            guard let addon = addon as? any CorewireNotificationsAddon else { return nil }
            switch try await addon.didReceive(Corewire.Notification(notification)) {
            case .handle: return nil
            case .show(let options): return .verdict(AddonVerdict(present: options.words))
            case .veto(let reason): return .verdict(AddonVerdict(veto: reason))
            }
        case .request(let request):
            guard let addon = addon as? any CorewireNetworkAddon else { return nil }
            return .request(refusal: try await addon.willPerform(Corewire.AddonRequest(request)))
        case .link(let url):
            guard let addon = addon as? any CorewireDeepLinkAddon else { return nil }
            return .link(isOpened: try await addon.open(url))
        case .signIn(let signInRequest):
            guard let addon = addon as? any CorewireAuthProvider else { return nil }
            return try await addon.signIn(Corewire.WantedSignIn(signInRequest)).map { .signIn($0.answer) }
        }
    }

    private func changed(
        _ known: KnownDevice,
        _ change: (inout Corewire.Device) async throws -> Void
    ) async throws -> KnownDevice {
        var (known, device) = (known, Corewire.Device(known))
        try await change(&device)
        device.write(to: &known)
        return known
    }
}
