import { expect, test } from 'vitest'
import { findDisguise } from './find-disguise.ts'

test.each([
  // Cyrillic letters throughout.
  [
    'https://\u0430\u0440\u0440\u04cf\u0435.com/login',
    'https://xn--80ak6aa92e.com/login',
    'apple.com',
  ],
  // One Cyrillic letter among Latin ones.
  ['https://p\u0430ypal.com', 'https://xn--pypal-4ve.com/', 'paypal.com'],
])('%s shows its real letters, and what it looks like', (address, real, looksLike) => {
  expect(findDisguise(address)).toEqual({ real, looksLike })
})

test.each([
  'https://apple.com/a',
  'https://münchen.de',
  'https://москва.рф/новости',
  'https://сосо.рф',
  'https://пример.com',
  'https://例え.jp',
  'https://example.org/путь?q=привет',
  'https://xn--80ak6aa92e.com',
])('%s is what it looks like', (address) => {
  expect(findDisguise(address)).toBeUndefined()
})
