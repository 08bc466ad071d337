import * as z from 'zod/mini'
import { canonicalJson } from './helpers/json.ts'
import { epochMs } from './message.ts'
import { noQuietHours, quietHours } from './quiet-hours.ts'

/** Who may see something: everybody, or only the people one has a chat with. */
const audience = z.enum(['everybody', 'chats'])

/** Drawn behind the messages of every chat. */
export const wallpapers = ['plain', 'dunes', 'waves', 'dots', 'dusk'] as const
export const textSizes = ['small', 'medium', 'large', 'larger'] as const
/** `wifi`: on a network that costs nothing, where the browser tells. */
export const loadings = ['always', 'wifi', 'never'] as const
const loading = z.enum(loadings)

const words = z.catch(z.array(z.string()), [])
/** An operator's quick replies and their labels for customers; unreadable parts count as absent. */
const channel = z.object({
  quickReplies: z._default(words, []),
  /** By contact id. */
  labels: z._default(z.catch(z.record(z.string(), words), {}), {}),
})

/**
 * Everything that a person can set, a row each: what its value may be, and what it is until set.
 * Each is a register that follows the person to every device (decision 47).
 */
const settingRows = {
  lastSeenFor: row(audience, 'everybody'),
  onlineFor: row(audience, 'everybody'),
  aboutFor: row(audience, 'everybody'),
  pictureFor: row(audience, 'everybody'),
  /** Off for both directions: nobody hears what one has read, and one does not hear it either. */
  readReceipts: row(z.boolean(), true),
  /** Who may write first. `known`: people one has written to, or has a chat with already. */
  firstMessagesFrom: row(z.enum(['everybody', 'known']), 'everybody'),
  /** Who may add one to a group. `chats`: people one has a chat with. Others can send a link. */
  groupsFrom: row(z.enum(['everybody', 'chats', 'nobody']), 'everybody'),
  /** Does the server look at the page behind an address that one writes? */
  linkPreviews: row(z.boolean(), true),
  notificationSound: row(z.boolean(), true),
  /** Do notifications show what was written? */
  notificationPreview: row(z.enum(['shown', 'hidden']), 'shown'),
  quietHours: row(quietHours, noQuietHours),
  theme: row(z.enum(['system', 'light', 'dark']), 'system'),
  wallpaper: row(z.enum(wallpapers), 'waves'),
  textSize: row(z.enum(textSizes), 'medium'),
  /** `auto`: where there is a keyboard; a touch keyboard's Enter begins a new line. */
  enterSends: row(z.enum(['auto', 'always', 'never']), 'auto'),
  emojiStyle: row(z.enum(['native', 'apple', 'twitter', 'google', 'facebook']), 'native'),
  /** Off: a new message takes its chat out of the archive. */
  keepsArchived: row(z.boolean(), true),
  /** When each kind of media is downloaded without being asked for. */
  loadPictures: row(loading, 'always'),
  loadVideos: row(loading, 'never'),
  loadFiles: row(loading, 'never'),
  whatsApp: row(channel, { quickReplies: [], labels: {} }),
}

export type Settings = {
  [Name in keyof typeof settingRows]: z.infer<(typeof settingRows)[Name]['value']>
}

const proofStart = 'verified:'

/** The setting that says of a person that their keys were compared: a register for each of them. */
export function nameProof(userId: string): string {
  return `${proofStart}${userId}`
}

/** The proofs of people whose keys were compared, by their ids; one that was taken away is null. */
export function readProofs(stored: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(stored).flatMap(([name, proof]) =>
      name.startsWith(proofStart) && typeof proof === 'string'
        ? [[name.slice(proofStart.length), proof]]
        : [],
    ),
  )
}

/** When each was set, epoch ms; a value without a time is older than every time. */
export const settingTimes = z.record(z.string(), epochMs)

/**
 * Settings as each side stores and sends them: a register for each name. Names of other versions of
 * the app are kept as they are.
 */
export const timedSettings = z.object({
  settings: z.record(z.string(), z.json()),
  settingsAt: z._default(settingTimes, {}),
})
export type TimedSettings = z.infer<typeof timedSettings>
type SettingValues = TimedSettings['settings']

/** All settings: the stored values where this version can read them, else the defaults. */
export function readSettings(stored: unknown): Settings {
  const given = typeof stored === 'object' && stored !== null ? stored : {}
  return Object.fromEntries(
    Object.entries(settingRows).map(([name, { value, initial }]) => {
      const read = z.safeParse<z.ZodMiniType>(
        value,
        Object.hasOwn(given, name) ? (given as SettingValues)[name] : undefined,
      )
      return [name, read.success ? read.data : initial]
    }),
  ) as unknown as Settings
}

/** The same settings, none set later than now: a device's clock may be ahead. */
export function clampSettings(given: Partial<TimedSettings>, now: number): TimedSettings {
  const { settings = {}, settingsAt = {} } = given
  return collect(Object.keys(settings), (name) => [
    settings[name],
    Object.hasOwn(settingsAt, name) ? Math.min(settingsAt[name] ?? now, now) : now,
  ])
}

/**
 * Merges two versions of a person's settings (P5), each by itself: the later time wins, then the
 * greater value.
 */
export function mergeSettings(a: TimedSettings, b: TimedSettings): TimedSettings {
  const names = new Set([...Object.keys(a.settings), ...Object.keys(b.settings)])
  return collect([...names].sort(), (name) => {
    const later = compareSettings(a, b, name) >= 0 ? a : b
    return [later.settings[name], timeOf(later, name)]
  })
}

/** What `ours` has and `theirs` would take over in a merge: the part that they still lack. */
export function findNewerSettings(ours: TimedSettings, theirs: TimedSettings): TimedSettings {
  const newer = Object.keys(ours.settings).filter((name) => compareSettings(ours, theirs, name) > 0)
  return pickSettings(ours, newer)
}

/** Those of these names that there are, with their times. */
export function pickSettings(given: TimedSettings, names: readonly string[]): TimedSettings {
  return collect(names, (name) => [
    Object.hasOwn(given.settings, name) ? given.settings[name] : undefined,
    timeOf(given, name),
  ])
}

/** Positive when `a` has the later version of this setting. */
function compareSettings(a: TimedSettings, b: TimedSettings, name: string): number {
  const [hasA, hasB] = [Object.hasOwn(a.settings, name), Object.hasOwn(b.settings, name)]
  if (!hasA || !hasB) return Number(hasA) - Number(hasB)
  const byTime = timeOf(a, name) - timeOf(b, name)
  if (byTime !== 0) return byTime
  const [ofA, ofB] = [canonicalJson(a.settings[name]), canonicalJson(b.settings[name])]
  return ofA < ofB ? -1 : ofA > ofB ? 1 : 0
}

function timeOf({ settingsAt }: TimedSettings, name: string): number {
  return Object.hasOwn(settingsAt, name) ? (settingsAt[name] ?? 0) : 0
}

function collect(
  names: readonly string[],
  read: (name: string) => [value: SettingValues[string] | undefined, at: number],
): TimedSettings {
  const fields = names.flatMap((name) => {
    const [value, at] = read(name)
    return value === undefined ? [] : [{ name, value, at }]
  })
  return {
    settings: Object.fromEntries(fields.map(({ name, value }) => [name, value])),
    settingsAt: Object.fromEntries(
      fields.filter(({ at }) => at > 0).map(({ name, at }) => [name, at]),
    ),
  }
}

function row<Schema extends z.ZodMiniType>(value: Schema, initial: z.infer<Schema>) {
  return { value, initial }
}
