import { afterEach, describe, expect, it } from 'vitest'
import { createPasswordHasher, HasherBusy, type PasswordHasher } from './create-password-hasher.ts'

describe('password hasher', () => {
  const opened: PasswordHasher[] = []
  const open = () => {
    const hasher = createPasswordHasher({ cost: 4 })
    opened.push(hasher)
    return hasher
  }
  afterEach(async () => {
    for (const hasher of opened.splice(0)) await hasher.close()
  })

  it('knows the right password from a wrong one', async () => {
    const hasher = open()
    const hash = await hasher.hash('correct horse')
    expect(hash).toMatch(/^\$2b\$04\$/)
    expect(await hasher.verify('correct horse', hash)).toBe(true)
    expect(await hasher.verify('Correct horse', hash)).toBe(false)
  })

  it('checks against nobody without ever being right', async () => {
    const hasher = open()
    expect(await hasher.verify('nobody', undefined)).toBe(false)
    expect(await hasher.verify('nobody', undefined)).toBe(false)
  })

  it('checks against nobody also when the first time fell into a flood', async () => {
    const hasher = open()
    const flood = Array.from({ length: 200 }, () => hasher.hash('x'))
    await expect(hasher.verify('guess', undefined)).rejects.toBeInstanceOf(HasherBusy)
    await Promise.all(flood)
    expect(await hasher.verify('guess', undefined)).toBe(false)
  })

  it('leaves the main thread free', async () => {
    const hasher = createPasswordHasher({ cost: 11 })
    opened.push(hasher)
    const order: string[] = []
    const hashed = hasher.hash('slow').then(() => order.push('hash'))
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))
    order.push('main thread')
    await hashed
    expect(order).toEqual(['main thread', 'hash'])
  })

  it('refuses a flood instead of growing', async () => {
    const hasher = open()
    const flood = Array.from({ length: 300 }, () => hasher.hash('x'))
    const results = await Promise.allSettled(flood)
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused).toHaveLength(100)
    expect(refused[0]?.reason).toBeInstanceOf(HasherBusy)
  })
})
