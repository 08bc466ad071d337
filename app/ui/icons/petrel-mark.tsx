import styles from './petrel-mark.module.css'

/** The product's mark: a petrel over a wave. */
export function PetrelMark({ size = 32 }: { size?: number }) {
  return (
    <svg
      className={styles.mark}
      width={size}
      height={size}
      viewBox="56 56 400 400"
      aria-hidden="true"
      focusable="false"
    >
      <path
        fill="currentColor"
        d="M70 168C134 160 190 190 226 244C238 239 250 236 262 236C286 164 344 112 440 96C388 136 352 188 334 248C344 252 352 258 357 266L394 285L351 289C328 318 286 334 238 332L156 376L170 348L126 350L198 312C201 296 206 282 214 270C182 218 132 184 70 168Z"
      />
      <path
        fill="none"
        stroke="currentColor"
        strokeWidth="20"
        strokeLinecap="round"
        d="M84 416c34-22 68-22 102 0s68 22 102 0 68-22 102 0"
      />
    </svg>
  )
}
