import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keepTokenSecret } from './keep-token-secret.ts'

describe('token secret', () => {
  const place = { dir: '' }
  beforeEach(() => {
    place.dir = mkdtempSync(join(tmpdir(), 'petrel-secret-'))
  })
  afterEach(() => rmSync(place.dir, { recursive: true }))

  it('is made once, long, and for the owner only', () => {
    const secret = keepTokenSecret(place.dir)
    expect(secret.length).toBeGreaterThanOrEqual(64)
    expect(keepTokenSecret(place.dir)).toBe(secret)
    expect(statSync(join(place.dir, 'jwt-secret')).mode & 0o777).toBe(0o600)
  })

  it('refuses a kept one that is too short to be safe', () => {
    writeFileSync(join(place.dir, 'jwt-secret'), 'short')
    expect(() => keepTokenSecret(place.dir)).toThrow(/at least 32 characters/)
  })
})
