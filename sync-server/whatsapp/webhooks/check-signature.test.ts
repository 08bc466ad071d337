import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { toWireJson } from '../../tools/whatsapp-emulator/wire/wire-json.ts'
import { answerHandshake, checkSignature } from './webhook-router.ts'

const appSecret = 'secret of the app'
const sign = (body: string, algorithm = 'sha256') =>
  `${algorithm}=${createHmac(algorithm, appSecret).update(body).digest('hex')}`
const check = (body: string, header: unknown) =>
  checkSignature({ rawBody: new TextEncoder().encode(body), header, appSecret })

describe('a signature', () => {
  test.each([
    ['plain text', toWireJson({ body: 'hello' })],
    ['an emoji', toWireJson({ body: 'hello 🌵' })],
    ['a slash', toWireJson({ url: 'https://a/b' })],
    ['three megabytes', toWireJson({ body: 'ü'.repeat(500_000) })],
    ['nothing', ''],
  ])('of %s is right', (_what, body) => expect(check(body, sign(body))).toBe('right'))

  test.each([
    ['an emoji', toWireJson({ body: 'hello 🌵' })],
    ['a slash', toWireJson({ url: 'https://a/b' })],
  ])('covers the bytes: re-serialised, %s makes it wrong', (_what, body) => {
    expect(check(JSON.stringify(JSON.parse(body)), sign(body))).toBe('wrong')
  })

  test('of other bytes, or with another secret, is wrong', () => {
    const body = toWireJson({ body: 'hello' })
    expect(check(body.replace('hello', 'hellp'), sign(body))).toBe('wrong')
    const others = createHmac('sha256', 'another').update(body).digest('hex')
    expect(check(body, `sha256=${others}`)).toBe('wrong')
  })

  test.each([
    [undefined, 'missing'],
    ['', 'missing'],
    [sign('a', 'sha1'), 'wrong'],
    [sign('a').slice(0, -1), 'wrong'],
    [`${sign('a')}0`, 'wrong'],
    [sign('a').replace('sha256=', ''), 'wrong'],
    [['sha256=a', 'sha256=b'], 'wrong'],
    ['sha256=', 'wrong'],
    [sign('a').toUpperCase().replace('SHA256', 'sha256'), 'right'],
  ])('%s is %s', (header, expected) => expect(check('a', header)).toBe(expected))
})

describe('the handshake', () => {
  const right = {
    'hub.mode': 'subscribe',
    'hub.challenge': '1158201444',
    'hub.verify_token': 'token',
  }
  test('gives the challenge back to who knows the token', () => {
    expect(answerHandshake(right, 'token')).toEqual({ challenge: '1158201444' })
  })

  test.each([
    ['another token', { ...right, 'hub.verify_token': 'tokem' }, 403],
    ['a longer token', { ...right, 'hub.verify_token': 'token2' }, 403],
    ['the other mode', { ...right, 'hub.mode': 'unsubscribe' }, 403],
    ['a token twice', { ...right, 'hub.verify_token': ['token', 'token'] }, 400],
    ['no challenge', { ...right, 'hub.challenge': undefined }, 400],
    ['nothing', {}, 400],
  ])('refuses %s', (_what, query, status) => {
    expect(answerHandshake(query, 'token')).toEqual({ status })
  })
})
