import WireConfig
import WireGraphQL

extension RecordRules {
    /// The rules that the file declares.
    init(_ settings: CacheRules, _ schema: Schema?) {
        var ages = AgeRules(usual: settings.maxAge.milliseconds)
        for item in settings.ages.items {
            if item.name.contains(".") {
                ages.fields[item.name] = item.value.milliseconds
            } else {
                ages.types[item.name] = item.value.milliseconds
            }
        }
        self.init(
            keyFields: Dictionary(settings.keyFields.items.map { ($0.name, $0.value.map(\.text)) }) { _, last in last },
            pages: Dictionary(settings.pages.items.map { ($0.name, PageRule($0.value)) }) { _, last in last },
            ages: ages,
            schema: schema
        )
    }
}

extension PageRule {
    fileprivate init(_ list: PagedList) {
        self =
            switch list.type {
            case .relay: .relay
            case .offset: .offset(list.offset.text, limit: list.limit.text, items: list.items?.text)
            }
    }
}

extension Duration {
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
