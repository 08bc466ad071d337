import type { Route } from '../core/route.ts'

/** The part of the product that a call belongs to: the first word of its address. */
export function nameTag(route: Pick<Route, 'path'>): string {
  const [first = ''] = route.path.slice(1).split('/')
  return ['auth', 'users', 'messages', 'media'].includes(first) ? first : 'server'
}

/** A name that tells one call from all others: `putUsersIdBlock`. */
export function nameOperation(route: Pick<Route, 'path' | 'method'>): string {
  const words = route.path.split(/[^A-Za-z]+/).filter(Boolean)
  return route.method + words.map((word) => (word[0] ?? '').toUpperCase() + word.slice(1)).join('')
}
