import fc from 'fast-check'
import { expect, test } from 'vitest'
import { weighDocument, weighGrowth } from './weigh-document.ts'

const field = fc.constantFrom('content', 'reactions', 'peerMarks', 'readUpTo')
const fields = fc.dictionary(field, fc.oneof(fc.jsonValue(), fc.constant(undefined)))
const document = fields.map((own) => ({ _id: 'one', ...own }))

test('P12: a document grows by the difference of its weights, whatever changed in it', () => {
  fc.assert(
    fc.property(document, fields, (before, changes) => {
      const after = { ...before, ...changes }
      const growth = weighDocument(after) - weighDocument(before)
      expect(weighGrowth(before, after)).toBe(growth)
      expect(weighGrowth(after, before) + growth).toBe(0)
      expect(weighGrowth(undefined, after)).toBe(weighDocument(after))
    }),
  )
})
