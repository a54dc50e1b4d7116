import Corewire

// What a program outside of this package can write with nothing but `import Corewire`: each public function is called. It is
// compiled by a test, and never run.

func start() async throws -> Corewire {
    var configuration = Corewire.Configuration(file: "services.yaml", environment: "dev")
    configuration.addons = [Everything()]
    configuration.willSetUpDevice = { $0.alias = "tablet" }
    configuration.publisher = Publisher()
    configuration.log = { entry in
        let fields: [Corewire.Field] = entry.fields
        if entry.level >= .warning { print(entry.module, entry.message, fields.map { "\($0.name)=\($0.value)" }) }
    }
    _ = try await Corewire.start(file: "services.yaml", environment: "dev")
    let corewire = try await Corewire.start(configuration)
    let status = try await corewire.use(environment: "prod")
    _ = try await corewire.reload().services.map(\.name) + [status.environment ?? ""]
    for await event in corewire.events where event.name != Corewire.Event.gap { print(event.json) }
    let known = await corewire.clear(.all, dryRun: true)
    _ = await corewire.clear(.user, services: known.map(\.service))
    await corewire.stop()
    return corewire
}

func tell(_ error: CorewireError) {
    let setting: Corewire.Setting? = error.setting
    if error.code == .full || error.code == CorewireError.Code(rawValue: "full") { print(error, error.help ?? "") }
    print(setting?.path ?? "", setting?.place ?? "", error.helpsToRetry, error.retryAfter ?? .zero, error.guidance)
    print(error.wasNotSent, error.signInFailure ?? "", error.diagnostics ?? "", error.cause.map { "\($0)" } ?? "")
}

func auth(_ auth: Corewire.Auth) async throws(CorewireError) {
    let signIn = try await auth.signIn(flow: .browser, pin: "1234")
    let user = try await signIn.user()
    _ = try await auth.signIn(userName: "ada", password: "-")
    try await auth.finish(callback: "com.example:/callback?code=1")
    try await auth.cancelSignIn()
    let token = try await auth.token(mode: .user, minimumLifetime: .seconds(60))
    let other = try await auth.token(insteadOf: token)
    try await auth.tellRefused(other)
    try await auth.lock(pin: "1234")
    try await auth.unlock(pin: "1234")
    let password = Corewire.Secret("of the account")
    try await auth.unlock(password: password)
    print(token.authorization(), token.reveal(), password.reveal(), user.roles(at: "tasks"), user.hashValue)
    let ward: String? = try user.claim("ward")
    let end = try await auth.signOut()
    for await state in auth.changes { print(state, ward ?? "", end.isRevoked ?? false) }
}

func state(_ store: Corewire.StateStore) async throws {
    let notes: Corewire.StateNamespace = store["notes"]
    let receipt = try await notes.put(text: "a", under: "k", for: .seconds(60), if: .absent)
    try await notes.put(bytes: [1], under: "b", if: .version(receipt.version))
    try await notes.put(json: ["a": 1], under: "j")
    let values: [String: Int]? = try await notes.get("j")
    let entry = try await notes.get("k")
    let read: [String: Int]? = try entry?.json()
    print(entry?.key ?? "", values ?? [:], read ?? [:], Corewire.StateVersion(3))
    _ = try await (notes.summary(of: "k"), notes.list(prefix: "k"), store.namespaces())
    for try await change in try await notes.changes() { print(change) }
    try await notes.remove("k")
    try await notes.clear()
}

func requests(_ corewire: Corewire) async throws {
    let (network, outbox) = (corewire.network, corewire.outbox)
    let answer = try await network.send(Corewire.Network.Request("GET", to: "/tasks"))
    let values = try await network.get([String].self, from: "/names")
    for try await bytes in answer.body { print(bytes.count, answer["Content-Type"] ?? "", values) }
    _ = try await answer.body.collect(upTo: 1_024)

    var request = Corewire.Outbox.Request("PUT", to: "/tasks/1")
    request.fields = [Corewire.Field("Content-Type", "text/plain")]
    let receipt = try await outbox.post(request)
    try await outbox.post(json: ["a": 1], to: "/tasks")
    _ = try await (outbox.find(receipt.id), outbox.list(lane: "ada"))
    try await outbox.retry(receipt.id)
    try await outbox.move(receipt.id, to: "later")
    try await outbox.retryAll()
    try await outbox.remove(receipt.id)
    try await outbox.pause(lane: "ada")
    try await outbox.resume(lane: "ada")

    let downloads = corewire.downloads
    let download = try await downloads.fetch("/map.pdf", id: "map")
    for await progress in downloads.progress(of: download.id) { print(progress.received) }
    _ = try await (downloads["map"], downloads.file(of: "map"))
    try await downloads.pause("map")
    try await downloads.resume("map")
    try await downloads.cancel("map", removingFile: true)
}

func background(_ corewire: Corewire) async throws {
    let tasks = corewire.tasks
    let handler = try tasks.handle("refresh") {}
    _ = try await (tasks.list(), tasks.run("refresh"), tasks.postpone("refresh", by: .seconds(1)))
    try await tasks.cancel("refresh")
    let publishing = corewire.metrics.publish { print($0.type) }
    _ = try await corewire.metrics.preview()
    try await corewire.metrics.send(.initial)
    withExtendedLifetime((handler, publishing)) {}
}

func content(_ content: Corewire.Content) async throws {
    let price = Corewire.ContentField("price")
    var query = Corewire.ContentQuery(module: "kites")
    query.filter =
        try price > 3 && price.isIn([1, 2.5, nil]) || price.isNotIn(["a", true]) && price.like("a%")
        || Corewire.ContentFilter(parsing: "price > 3")
    query.relations = [Corewire.ContentQuery.Relation("shop", to: ["1"])]
    let page = try await content.search(query, offline: .serverThenStored)
    _ = try await (content.instance("1"), content.modules(), Corewire.ContentQuery(modules: ["a"]))
    let values = try page.items.first?.values(as: [String: String].self)
    let whole: [String: String]? = try page.items.first?.read()
    try await content.create(in: "kites", values: values ?? whole ?? [:])
    try await content.update("1", values: ["a": "b"])
    try await content.remove("1")
    _ = try await (content.sync("kites"), content.copies())
}

func push(_ corewire: Corewire) async throws {
    let push = corewire.push
    let source = push.tokens(of: .apns) { "token" }
    try await push.register("crm")
    try await push.subscribe("crm") { $0.profileFields["_fname"] = .set(.text("Ada")) }
    try await push.unsubscribe("crm")
    try await push.suspend("crm")
    try await push.unsuspend("crm")
    try await push.changeProfile("crm", ["a": .unset])
    var event = Corewire.Push.AppEvent("bought", siteID: "1")
    event.matching = Corewire.Push.Matching("id", database: 1, identifiers: ["a": "b"])
    event.subscription = Corewire.Push.EventSubscription(resource: 1, .email("ada@example.com"))
    try await push.report(event, at: "crm")
    _ = try await push.status(at: "crm")
    try await push.setToken("token", of: .firebase)
    try await push.removeToken(of: .firebase)
    try await push.refreshTokens()
    try await push.setProviders([.huawei])
    try await push.setJWT("a.b.c", at: "crm")
    try await push.clear(everybody: true)
    withExtendedLifetime(source) {}
}

func notifications(_ notifications: Corewire.Notifications) async throws {
    let handlers = [
        notifications.handleRemote("all") { _ in .newData },
        notifications.handlePresentable("all") { _ in Corewire.PresentationOptions(rawValue: 1) },
        notifications.handleTap("all") { print($0.id) },
    ]
    let id = try await notifications.send(Corewire.NewNotification(title: "Hello"))
    _ = try await notifications.receive("{}", carrier: "1")
    try await notifications.tap(id, button: "yes")
    try await notifications.markRead(id)
    try await notifications.dismiss(id)
    _ = try await (
        notifications.unread(), notifications.state(of: id), notifications.permission(), notifications.streams()
    )
    try await notifications.setPermission(.granted)
    withExtendedLifetime(handlers) {}
}

func device(_ corewire: Corewire) async throws {
    let keeper = corewire.device
    let hook = keeper.willSetUp { $0.alias = "tablet" }
    try await keeper.change { device in
        device.addTag("ward", "3B")
        device.addTags([("floor", "2")])
        device.removeTag("ward")
        device.removeTags(["floor"])
        device.setToken("token", platform: "ANDROID")
    }
    try await keeper.register()
    try await keeper.remove()
    let text: Corewire.FormattedValue = ["names": ["Ada", 1, 2.5, true]]
    print(try corewire.formatting.fill("{names}", with: ["names": text]))
    withExtendedLifetime(hook) {}
}

struct Tasks: Corewire.SyncOperation {
    struct Data: Decodable, Sendable { let names: [String] }
    struct Variables: Encodable, Sendable { let first: Int }
    static let name = "Tasks"
    static let kind = Corewire.SyncOperationKind.query
    static let document = "query Tasks($first: Int) { names(first: $first) }"
    let variables = Variables(first: 3)
}

func sync(_ sync: Corewire.Sync) async throws {
    _ = try await sync.query(Tasks(), policy: .cacheFirst).data?.names
    _ = try await sync.query("Tasks", variables: ["first": 3], as: Tasks.Data.self)
    _ = try await sync.mutate(Tasks()).errors.map(\.message)
    _ = try await sync.mutate("Save", as: Tasks.Data.self)
    try await sync.refetch(Tasks())
    try await sync.refetch("Tasks", variables: ["first": 3])
    for try await update in try sync.watch(Tasks()) { print(update) }
    for try await update in try sync.watch("Tasks", as: Tasks.Data.self) { print(update) }
    for try await message in try sync.subscribe(Tasks()) { print(message) }
    for try await message in try sync.subscribe("Changed", as: Tasks.Data.self) { print(message) }
}
