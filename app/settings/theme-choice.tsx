import { RadioChoice } from './radio-choice.tsx'

export interface ThemeChoiceProps {
  themes: readonly { value: string; name: string }[]
  theme: string
  /** What the system asks for at the moment. */
  systemNow: 'light' | 'dark'
  onTheme(value: string): void
}

/** How the app looks on this device. */
export function ThemeChoice({ themes, theme, systemNow, onTheme }: ThemeChoiceProps) {
  return (
    <RadioChoice
      legend="Theme"
      options={themes}
      value={theme}
      note={`System default follows this device: ${systemNow} now.`}
      isNoted={(value) => value === 'system'}
      onChoose={onTheme}
    />
  )
}
