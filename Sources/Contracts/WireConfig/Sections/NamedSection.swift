/// A section that is a map itself: it declares no keys, each of its keys is a name the author chooses.
///
/// ```yaml
/// addons: { audit: { exec: [./audit-addon] } }
/// ```
package protocol NamedSection: Section {
    associatedtype Element: SettingValue
    init(_ items: Named<Element>)
}

extension NamedSection {
    package static var form: Form { Named<Element>.form }
    package static var placeholder: Self { Self(Named<Element>()) }

    package static func read(_ node: NodeID, with reader: Reader) -> Reading<Self> {
        Named<Element>.read(node, with: reader).map(Self.init)
    }

    /// Asks for nothing: no key is known before the file is read.
    package init(_ keys: inout Keys) {
        self.init(Named<Element>())
    }
}
