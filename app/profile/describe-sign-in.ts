import type { OwnUser } from '../../schema/user.ts'

/** What a person signs in with, earlier names included. */
export function describeSignIn(user: Pick<OwnUser, 'phone_number' | 'formerNames'>): string {
  const ways = `Sign in with this name, your email${user.phone_number ? ' or your phone number' : ''}.`
  const words = user.phone_number ? ways : ways.replace(', your', ' or your')
  const [latest, ...others] = user.formerNames ?? []
  if (latest === undefined) return words
  const names = [latest, ...others].map((name) => `“${name}”`)
  return others.length > 0
    ? `${words} Your earlier names ${names.join(', ')} also work until someone else registers them.`
    : `${words} Your earlier name ${names[0]} also works until someone else registers it.`
}
