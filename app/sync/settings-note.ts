import * as z from 'zod/mini'
import { parseJson } from '../../schema/helpers/parse-json.ts'
import { mergeSettings, type TimedSettings, timedSettings } from '../../schema/settings.ts'
import type { KeyValueStorage } from '../database/storage/key-value-storage.ts'
import { settingsNoteKey } from './platform/own-texts.ts'

const none: TimedSettings = { settings: {}, settingsAt: {} }

/**
 * Changes of settings that the database does not have yet, stored at once as a text: what the
 * screen shows is then on the device, however soon the page is closed.
 */
export function createSettingsNote(options: {
  texts: KeyValueStorage | undefined
  userId: string
}) {
  const { texts } = options
  const key = settingsNoteKey(options.userId)
  const underWay = new Set<TimedSettings>()
  /** Shown only while it lies on the device. */
  let noted = none
  let left: { text: string; changes: TimedSettings } | undefined

  function write() {
    const all = [...underWay].reduce(mergeSettings, none)
    try {
      if (underWay.size > 0) texts?.setItem(key, JSON.stringify(all))
      else texts?.removeItem(key)
      noted = texts ? all : none
    } catch {
      noted = none
    }
  }

  return {
    read: () => noted,
    /** @returns what removes it again, once the database has it or refuses it */
    add(change: TimedSettings) {
      underWay.add(change)
      write()
      return () => {
        underWay.delete(change)
        write()
      }
    },
    /** What lies there from an earlier page. */
    readLeft(): TimedSettings | undefined {
      const text = texts?.getItem(key) ?? undefined
      if (text === undefined) return undefined
      const read = z.safeParse(timedSettings, parseJson(text))
      if (!read.success) return undefined
      left = { text, changes: read.data }
      return left.changes
    },
    /** A text that was written since has newer changes, or another tab's. */
    forgetLeft() {
      if (left && texts?.getItem(key) === left.text) texts.removeItem(key)
      left = undefined
    },
  }
}
