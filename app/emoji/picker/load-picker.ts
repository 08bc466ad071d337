import type { ComponentType } from 'react'
import type { EmojiData } from '../catalogue/emoji-data.ts'
import { loadEmojiData } from '../catalogue/load-emoji-data.ts'
import type { EmojiPickerProps } from './emoji-picker.tsx'

export interface LoadedPicker {
  Picker: ComponentType<EmojiPickerProps>
  data: EmojiData
}

/** The picker and all emoji: fetched when somebody first wants them, and from then on at hand without a network. */
export async function loadPicker(): Promise<LoadedPicker> {
  const [{ EmojiPicker }, data] = await Promise.all([import('./emoji-picker.tsx'), loadEmojiData()])
  return { Picker: EmojiPicker, data }
}
