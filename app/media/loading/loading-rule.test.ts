import { expect, test } from 'vitest'
import { mayLoadUnasked } from './use-file.ts'

test.each([
  ['always', 'cellular', true],
  ['never', 'wifi', false],
  ['wifi', 'wifi', true],
  ['wifi', 'ethernet', true],
  ['wifi', 'cellular', false],
  ['wifi', 'none', false],
  // Chosen in a browser that could report the network type.
  ['wifi', undefined, true],
] as const)('with %s on %s pictures come unasked: %s', (choice, network, expected) => {
  expect(mayLoadUnasked(choice, network)).toBe(expected)
})
