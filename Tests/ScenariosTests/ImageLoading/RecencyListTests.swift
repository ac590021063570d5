// SPDX-License-Identifier: Apache-2.0

import ImageLoading
import Testing

@Suite("A list by last use")
struct RecencyListTests {
    @Test("is in every respect what an array that is searched would be")
    func asAnArray() {
        var list = RecencyList<Int, Int>()
        var array: [(key: Int, value: Int)] = []
        var random = SystemRandomNumberGenerator()
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<40, using: &random)
            let place = array.firstIndex { $0.key == key }
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                let old = place.map { array.remove(at: $0).value }
                array.append((key, step))
                #expect(list.insert(step, for: key) == old)
            case 2:
                let value = place.map { array[$0].value }
                if let place { array.append(array.remove(at: place)) }
                #expect(list.use(key) == value)
            case 3:
                #expect(list.remove(key) == place.map { array.remove(at: $0).value })
            default:
                let oldest = list.removeLeastRecent()
                #expect(oldest?.key == array.first?.key && oldest?.value == array.first?.value)
                if !array.isEmpty { array.removeFirst() }
            }
            #expect(list.count == array.count)
            #expect(list.peek(key) == array.first { $0.key == key }?.value)
            if step % 500 == 0 { #expect(list.keys == array.map(\.key)) }
        }
    }
}
