import type { ComponentType } from 'react'
import type { EmojiData } from '../catalogue/emoji-data.ts'
import { loadEmojiData } from '../catalogue/load-emoji-data.ts'
import type { EmojiPickerProps } from './emoji-picker.tsx'

export interface LoadedPicker {
  Picker: ComponentType<EmojiPickerProps>
  data: EmojiData
}

/** Loads the picker and all emoji on first use; from then on they work offline. */
export async function loadPicker(): Promise<LoadedPicker> {
  const [{ EmojiPicker }, data] = await Promise.all([import('./emoji-picker.tsx'), loadEmojiData()])
  return { Picker: EmojiPicker, data }
}
