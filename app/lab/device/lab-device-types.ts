import type { ConversationDocument } from '../../../schema/conversation.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import type { LabDisk } from '../kit/disk.ts'
import type { LabPage } from '../kit/page.ts'
import type { LabAccess } from './lab-access.ts'
import type { LabNetwork } from './lab-network.ts'

/** One open tab of a device: the real client core. */
export interface LabTab {
  messenger: Messenger
  page: LabPage
  /** Simulates a frozen background tab: none of its requests ever returns. */
  freeze(): void
  /** Simulates a crash: waits for nothing under way. */
  close(): Promise<void>
}

/** Everything that a device stores, by id. */
export interface StoredHere {
  messages: Map<string, MessageDocument>
  conversations: Map<string, ConversationDocument>
}

/** A possible recipient. */
export interface Addressee {
  userId: string
}

/**
 * A phone or a laptop: its own IndexedDB, network and clock, and the real client core in one or
 * more tabs.
 */
export interface LabDevice {
  readonly name: string
  readonly userId: string
  /** What it does with its person's password and keys. */
  readonly access: LabAccess
  readonly network: LabNetwork
  readonly disk: LabDisk
  /** The first tab's core. */
  readonly messenger: Messenger
  readonly tabs: readonly LabTab[]
  readonly isOpen: boolean
  /** Opens another tab on the same data. */
  openTab(): Promise<LabTab>
  /** Writes a message; resolves with its id once the device has stored it. */
  say(to: Addressee, content: string): Promise<string>
  /**
   * Writes a message with a text file; resolves with the message's id once the device has stored
   * both.
   */
  sendFile(to: Addressee, content: string, fileWords?: string): Promise<string>
  /**
   * Writes a message in the composer, sends it, dies after the given number of further disk writes,
   * and restarts. Then the words must be a message or a draft.
   * @throws when they are both, or neither
   */
  killAfterEnter(to: Addressee, content: string, writes: number): Promise<void>
  /** Changes an own message's text. */
  edit(messageId: string, content: string): Promise<void>
  /** Deletes an own message. */
  delete(messageId: string): Promise<void>
  /** This device's whole view of a conversation, oldest first. */
  read(withWhom: Addressee): Promise<readonly MessageDocument[]>
  /** A text in its localStorage. */
  readText(key: string): string | null
  /** Its stored documents, visible or not; works while closed, too. */
  stored(): Promise<StoredHere>
  /** Writes documents past all checks of the core, like a damaged or malicious one. */
  plant(messages: readonly MessageDocument[]): Promise<void>
  /** Sets its clock: this far ahead of the true time, in ms. */
  setClock(aheadMs: number): void
  /**
   * Sets all recorded write times of the device ahead by this much, as if its clock had been ahead.
   */
  advanceWriteTimes(ms: number): Promise<void>
  /**
   * Deletes all stored data under the open pages, like a person who clears the site's data. Skipped
   * while something is unsent: no one could restore it.
   */
  erase(): Promise<void>
  /** Deletes all stored data while no page is open, and opens one: it restores nothing from memory. */
  loseStorage(): Promise<void>
  /**
   * Checks that the device knows it owes every unsent word.
   * @param readHeld says which messages the server holds: these only lack the answer. Undefined when
   * the server can't be asked
   * @throws otherwise
   */
  expectOwed(
    readHeld: () => Promise<((one: { _id: string; peerId: string }) => boolean) | undefined>,
  ): Promise<void>
  /**
   * Kills every tab in the middle of its work and opens one again: the data stays, as in a browser.
   */
  reload(): Promise<void>
  /**
   * Ends this device's sign-in at the server, as from another device. The device gets no notice.
   */
  endSignIn(): Promise<void>
  /**
   * Its person signs in again in a new tab: open tabs continue with the new token. Skipped when the
   * server is unreachable.
   * @param endsBefore does the earlier sign-in end at the server?
   */
  renewSignIn(endsBefore: boolean): Promise<void>
  /**
   * Its person signs out in one tab, which erases the device, and in again; the other tabs hear of
   * it after the given ms. Skipped when words would be lost, or the server is unreachable.
   */
  signOut(heardAfterMs: number): Promise<void>
  /** Makes its token expire this soon, as if issued long ago. Returns that token. */
  shortenSignIn(keptMs: number): string
  /** The number of records of any kind in its IndexedDB. */
  countStoredRecords(): Promise<number>
  /** Signs in again, as after an expired sign-in; the device's data is still there. */
  signIn(): Promise<void>
  close(): Promise<void>
}
